#include "textflag.h"
#include "numbers_amd64.h"

// REDUCE sums the lanes of Y0 to Y3 into all lanes of X0 in a fixed order.
#define REDUCE \
	VADDPS Y1, Y0, Y0       \
	VADDPS Y3, Y2, Y2       \
	VADDPS Y2, Y0, Y0       \
	VEXTRACTF128 $1, Y0, X1 \
	VADDPS X1, X0, X0       \
	FOLD(VADDPS)

// ROW processes a row from offset DX: FOUR handles 32 values, ONE handles 8
// values or, masked by Y15, the remainder.
#define ROW(FOUR, ONE, A, B, C, D) \
	XORQ  DX, DX        \
	MOVQ  R8, CX        \
	SUBQ  $32, CX       \
	JLT   B             \
A: \
	FOUR                \
	ADDQ  $128, DX      \
	SUBQ  $32, CX       \
	JGE   A             \
B: \
	ADDQ  $32, CX       \
	JZ    D             \
C: \
	MOVQ  $8, AX        \
	CMPQ  CX, AX        \
	CMOVQLT CX, AX      \
	NEGQ  AX            \
	LEAQ  MASKS, BX     \
	VMOVUPS (BX)(AX*4), Y15 \
	ONE                 \
	ADDQ  $32, DX       \
	SUBQ  $8, CX       \
	JGT   C             \
D:

#define CLEAR \
	VXORPS Y0, Y0, Y0 \
	VXORPS Y1, Y1, Y1 \
	VXORPS Y2, Y2, Y2 \
	VXORPS Y3, Y3, Y3

// ADD4 and ADD1 add the values at y to those at x.
#define ADD4(x, y) \
	VMOVUPS (x)(DX*1), Y4      \
	VMOVUPS 32(x)(DX*1), Y5    \
	VMOVUPS 64(x)(DX*1), Y6    \
	VMOVUPS 96(x)(DX*1), Y7    \
	VADDPS (y)(DX*1), Y4, Y4   \
	VADDPS 32(y)(DX*1), Y5, Y5 \
	VADDPS 64(y)(DX*1), Y6, Y6 \
	VADDPS 96(y)(DX*1), Y7, Y7 \
	VMOVUPS Y4, (x)(DX*1)      \
	VMOVUPS Y5, 32(x)(DX*1)    \
	VMOVUPS Y6, 64(x)(DX*1)    \
	VMOVUPS Y7, 96(x)(DX*1)

#define ADD1(x, y) \
	VMASKMOVPS (x)(DX*1), Y15, Y4 \
	VMASKMOVPS (y)(DX*1), Y15, Y5 \
	VADDPS Y5, Y4, Y4             \
	VMASKMOVPS Y4, Y15, (x)(DX*1)

#define SUM4 \
	VADDPS (SI)(DX*1), Y0, Y0    \
	VADDPS 32(SI)(DX*1), Y1, Y1  \
	VADDPS 64(SI)(DX*1), Y2, Y2 \
	VADDPS 96(SI)(DX*1), Y3, Y3

#define SUM1 \
	VMASKMOVPS (SI)(DX*1), Y15, Y4 \
	VADDPS Y4, Y0, Y0

// DEVIATE4 sets Y4 to Y7 to the values less the mean, Y12.
#define DEVIATE4 \
	VMOVUPS (SI)(DX*1), Y4   \
	VMOVUPS 32(SI)(DX*1), Y5 \
	VMOVUPS 64(SI)(DX*1), Y6 \
	VMOVUPS 96(SI)(DX*1), Y7 \
	VSUBPS Y12, Y4, Y4       \
	VSUBPS Y12, Y5, Y5       \
	VSUBPS Y12, Y6, Y6       \
	VSUBPS Y12, Y7, Y7

#define SQUARE4 \
	DEVIATE4               \
	VFMADD231PS Y4, Y4, Y0 \
	VFMADD231PS Y5, Y5, Y1 \
	VFMADD231PS Y6, Y6, Y2 \
	VFMADD231PS Y7, Y7, Y3

#define SQUARE1 \
	VMASKMOVPS (SI)(DX*1), Y15, Y4 \
	VSUBPS Y12, Y4, Y4 \
	VANDPS Y15, Y4, Y4 \
	VFMADD231PS Y4, Y4, Y0

// Y13 is the inverse standard deviation.
#define SCALE4 \
	DEVIATE4                     \
	VMULPS Y13, Y4, Y4           \
	VMULPS Y13, Y5, Y5           \
	VMULPS Y13, Y6, Y6           \
	VMULPS Y13, Y7, Y7           \
	VMULPS (R10)(DX*1), Y4, Y4   \
	VMULPS 32(R10)(DX*1), Y5, Y5 \
	VMULPS 64(R10)(DX*1), Y6, Y6 \
	VMULPS 96(R10)(DX*1), Y7, Y7 \
	VMOVUPS Y4, (DI)(DX*1)       \
	VMOVUPS Y5, 32(DI)(DX*1)     \
	VMOVUPS Y6, 64(DI)(DX*1)    \
	VMOVUPS Y7, 96(DI)(DX*1)

#define SCALE1 \
	VMASKMOVPS (SI)(DX*1), Y15, Y4  \
	VMASKMOVPS (R10)(DX*1), Y15, Y5 \
	VSUBPS Y12, Y4, Y4            \
	VMULPS Y13, Y4, Y4            \
	VMULPS Y5, Y4, Y4             \
	VMASKMOVPS Y4, Y15, (DI)(DX*1)

// INVERSE sets Y13 to 1/sqrt(X0/R8 + eps).
#define INVERSE(eps) \
	VDIVSS X14, X0, X0    \
	VADDSS eps, X0, X0    \
	VSQRTSS X0, X0, X0    \
	VMOVSS ONE, X1        \
	VDIVSS X0, X1, X1     \
	VBROADCASTSS X1, Y13

// func layerNorm256(dst, x, res, gain, bias []float32, eps float32)
TEXT ·layerNorm256(SB), NOSPLIT, $0-124
	MOVQ  dst_base+0(FP), DI
	MOVQ  x_base+24(FP), SI
	MOVQ  x_len+32(FP), R8
	MOVQ  res_base+48(FP), R9
	MOVQ  gain_base+72(FP), R10
	MOVQ  bias_base+96(FP), R11
	VCVTSI2SSQ R8, X14, X14
	TESTQ R9, R9
	JZ    sum
	ROW(ADD4(SI, R9), ADD1(SI, R9), add4, add2, add1, sum)
	CLEAR
	ROW(SUM4, SUM1, sum4, sum2, sum1, mean)
	REDUCE
	VDIVSS X14, X0, X0
	VBROADCASTSS X0, Y12
	CLEAR
	ROW(SQUARE4, SQUARE1, square4, square2, square1, inverse)
	REDUCE
	INVERSE(eps+120(FP))
	ROW(SCALE4, SCALE1, scale4, scale2, scale1, scaled)
	TESTQ R11, R11
	JZ    done
	ROW(ADD4(DI, R11), ADD1(DI, R11), bias4, bias2, bias1, done)
	VZEROUPPER
	RET

// func rmsNorm256(dst, x, res, gain []float32, eps float32)
TEXT ·rmsNorm256(SB), NOSPLIT, $0-100
	MOVQ  dst_base+0(FP), DI
	MOVQ  x_base+24(FP), SI
	MOVQ  x_len+32(FP), R8
	MOVQ  res_base+48(FP), R9
	MOVQ  gain_base+72(FP), R10
	VCVTSI2SSQ R8, X14, X14
	VXORPS Y12, Y12, Y12
	TESTQ R9, R9
	JZ    square
	ROW(ADD4(SI, R9), ADD1(SI, R9), add4, add2, add1, square)
	CLEAR
	ROW(SQUARE4, SQUARE1, square4, square2, square1, inverse)
	REDUCE
	INVERSE(eps+96(FP))
	ROW(SCALE4, SCALE1, scale4, scale2, scale1, scaled)
	VZEROUPPER
	RET

// func maxAbs256(x []float32) float32, len(x) a multiple of 32
TEXT ·maxAbs256(SB), NOSPLIT, $0-28
	MOVQ  x_base+0(FP), SI
	MOVQ  x_len+8(FP), CX
	VPBROADCASTD ABS, Y12
	CLEAR
	TESTQ CX, CX
	JZ    most
peak:
	VPAND (SI), Y12, Y4
	VPAND 32(SI), Y12, Y5
	VPAND 64(SI), Y12, Y6
	VPAND 96(SI), Y12, Y7
	VPMAXUD Y4, Y0, Y0
	VPMAXUD Y5, Y1, Y1
	VPMAXUD Y6, Y2, Y2
	VPMAXUD Y7, Y3, Y3
	ADDQ  $128, SI
	SUBQ  $32, CX
	JNZ   peak
most:
	VPMAXUD Y1, Y0, Y0
	VPMAXUD Y3, Y2, Y2
	VPMAXUD Y2, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPMAXUD X1, X0, X0
	FOLD(VPMAXUD)
	VMOVSS X0, ret+24(FP)
	VZEROUPPER
	RET

// func minMax256(x []float32) (lo, hi float32), len(x) a multiple of 32
TEXT ·minMax256(SB), NOSPLIT, $0-32
	MOVQ  x_base+0(FP), SI
	MOVQ  x_len+8(FP), CX
	CLEAR
	TESTQ CX, CX
	JZ    ends
extent:
	VMOVUPS (SI), Y4
	VMOVUPS 32(SI), Y5
	VMOVUPS 64(SI), Y6
	VMOVUPS 96(SI), Y7
	VMINPS Y4, Y0, Y0
	VMAXPS Y4, Y2, Y2
	VMINPS Y5, Y1, Y1
	VMAXPS Y5, Y3, Y3
	VMINPS Y6, Y0, Y0
	VMAXPS Y6, Y2, Y2
	VMINPS Y7, Y1, Y1
	VMAXPS Y7, Y3, Y3
	ADDQ  $128, SI
	SUBQ  $32, CX
	JNZ   extent
ends:
	VMINPS Y1, Y0, Y0
	VMAXPS Y3, Y2, Y2
	VEXTRACTF128 $1, Y0, X1
	VEXTRACTF128 $1, Y2, X3
	VMINPS X1, X0, X0
	VMAXPS X3, X2, X2
	VPSHUFD $0x4e, X0, X1
	VPSHUFD $0x4e, X2, X3
	VMINPS X1, X0, X0
	VMAXPS X3, X2, X2
	VPSHUFD $0xb1, X0, X1
	VPSHUFD $0xb1, X2, X3
	VMINPS X1, X0, X0
	VMAXPS X3, X2, X2
	VMOVSS X0, lo+24(FP)
	VMOVSS X2, hi+28(FP)
	VZEROUPPER
	RET

// QUANTISED sets Y0 to the next 16 integers, with 16 bits each.
#define QUANTISED \
	VMOVUPS (SI), Y0       \
	VMOVUPS 32(SI), Y1     \
	VSUBPS Y13, Y0, Y0     \
	VSUBPS Y13, Y1, Y1     \
	VMULPS Y12, Y0, Y0     \
	VMULPS Y12, Y1, Y1     \
	VCVTPS2DQ Y0, Y0       \
	VCVTPS2DQ Y1, Y1       \
	VPACKSSDW Y1, Y0, Y0   \
	VPERMQ $0xd8, Y0, Y0   \
	ADDQ  $64, SI

// func quantize256(dst []byte, x []float32, middle, inverse float32), len(x) a
// multiple of 16
//
// The integers are written with 16 bits each, for VPMADDWD.
TEXT ·quantize256(SB), NOSPLIT, $0-56
	MOVQ  dst_base+0(FP), DI
	MOVQ  x_base+24(FP), SI
	MOVQ  x_len+32(FP), CX
	VBROADCASTSS middle+48(FP), Y13
	VBROADCASTSS inverse+52(FP), Y12
	TESTQ CX, CX
	JZ    done
quantise:
	QUANTISED
	VMOVDQU Y0, (DI)
	ADDQ  $32, DI
	SUBQ  $16, CX
	JNZ   quantise
done:
	VZEROUPPER
	RET

// func quantizeBytes256(dst []byte, x []float32, middle, inverse float32), len(x)
// a multiple of 16
//
// The integers are written as bytes, plus 128, for VPDPBUSD.
TEXT ·quantizeBytes256(SB), NOSPLIT, $0-56
	MOVQ  dst_base+0(FP), DI
	MOVQ  x_base+24(FP), SI
	MOVQ  x_len+32(FP), CX
	VBROADCASTSS middle+48(FP), Y13
	VBROADCASTSS inverse+52(FP), Y12
	VPBROADCASTB OFFSET, X2
	TESTQ CX, CX
	JZ    done
quantise:
	QUANTISED
	VEXTRACTI128 $1, Y0, X1
	VPACKSSWB X1, X0, X0
	VPXOR X2, X0, X0
	VMOVDQU X0, (DI)
	ADDQ  $16, DI
	SUBQ  $16, CX
	JNZ   quantise
done:
	VZEROUPPER
	RET
