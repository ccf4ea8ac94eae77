#include "textflag.h"
#include "numbers_amd64.h"

// REDUCE sums the lanes of Z0 to Z3 into all lanes of X0 in a fixed order.
#define REDUCE \
	VADDPS Z1, Z0, Z0       \
	VADDPS Z3, Z2, Z2       \
	VADDPS Z2, Z0, Z0       \
	VEXTRACTF64X4 $1, Z0, Y1 \
	VADDPS Y1, Y0, Y0       \
	VEXTRACTF128 $1, Y0, X1 \
	VADDPS X1, X0, X0       \
	VPSHUFD $0x4e, X0, X1   \
	VADDPS X1, X0, X0       \
	VPSHUFD $0xb1, X0, X1   \
	VADDPS X1, X0, X0

// ROW processes a row from offset DX: FOUR handles 64 values at BASE+DX, ONE
// handles 16 values or, masked by K1, the remainder.
#define ROW(FOUR, ONE, A, B, C, D) \
	XORQ  DX, DX        \
	MOVQ  R8, CX        \
	SUBQ  $64, CX       \
	JLT   B             \
A: \
	FOUR                \
	ADDQ  $256, DX      \
	SUBQ  $64, CX       \
	JGE   A             \
B: \
	ADDQ  $64, CX       \
	JZ    D             \
C: \
	MOVL  $-1, AX       \
	BZHIL CX, AX, AX    \
	KMOVW AX, K1        \
	ONE                 \
	ADDQ  $64, DX       \
	SUBQ  $16, CX       \
	JGT   C             \
D:

#define CLEAR \
	VPXORD Z0, Z0, Z0 \
	VPXORD Z1, Z1, Z1 \
	VPXORD Z2, Z2, Z2 \
	VPXORD Z3, Z3, Z3

#define ADD4 \
	VMOVUPS (SI)(DX*1), Z4    \
	VMOVUPS 64(SI)(DX*1), Z5  \
	VMOVUPS 128(SI)(DX*1), Z6 \
	VMOVUPS 192(SI)(DX*1), Z7 \
	VADDPS (R9)(DX*1), Z4, Z4 \
	VADDPS 64(R9)(DX*1), Z5, Z5 \
	VADDPS 128(R9)(DX*1), Z6, Z6 \
	VADDPS 192(R9)(DX*1), Z7, Z7 \
	VMOVUPS Z4, (SI)(DX*1)    \
	VMOVUPS Z5, 64(SI)(DX*1)  \
	VMOVUPS Z6, 128(SI)(DX*1) \
	VMOVUPS Z7, 192(SI)(DX*1)

#define ADD1 \
	VMOVUPS.Z (SI)(DX*1), K1, Z4 \
	VMOVUPS.Z (R9)(DX*1), K1, Z5 \
	VADDPS Z5, Z4, Z4            \
	VMOVUPS Z4, K1, (SI)(DX*1)

#define SUM4 \
	VADDPS (SI)(DX*1), Z0, Z0    \
	VADDPS 64(SI)(DX*1), Z1, Z1  \
	VADDPS 128(SI)(DX*1), Z2, Z2 \
	VADDPS 192(SI)(DX*1), Z3, Z3

#define SUM1 \
	VMOVUPS.Z (SI)(DX*1), K1, Z4 \
	VADDPS Z4, Z0, Z0

// Z16 is the mean.
#define SQUARE4 \
	VMOVUPS (SI)(DX*1), Z4    \
	VMOVUPS 64(SI)(DX*1), Z5  \
	VMOVUPS 128(SI)(DX*1), Z6 \
	VMOVUPS 192(SI)(DX*1), Z7 \
	VSUBPS Z16, Z4, Z4        \
	VSUBPS Z16, Z5, Z5        \
	VSUBPS Z16, Z6, Z6        \
	VSUBPS Z16, Z7, Z7        \
	VFMADD231PS Z4, Z4, Z0    \
	VFMADD231PS Z5, Z5, Z1    \
	VFMADD231PS Z6, Z6, Z2    \
	VFMADD231PS Z7, Z7, Z3

#define SQUARE1 \
	VMOVUPS.Z (SI)(DX*1), K1, Z4 \
	VSUBPS.Z Z16, Z4, K1, Z4     \
	VFMADD231PS Z4, Z4, Z0

// Z17 is the inverse standard deviation.
#define SCALE4 \
	VMOVUPS (SI)(DX*1), Z4       \
	VMOVUPS 64(SI)(DX*1), Z5     \
	VMOVUPS 128(SI)(DX*1), Z6    \
	VMOVUPS 192(SI)(DX*1), Z7    \
	VSUBPS Z16, Z4, Z4           \
	VSUBPS Z16, Z5, Z5           \
	VSUBPS Z16, Z6, Z6           \
	VSUBPS Z16, Z7, Z7           \
	VMULPS Z17, Z4, Z4           \
	VMULPS Z17, Z5, Z5           \
	VMULPS Z17, Z6, Z6           \
	VMULPS Z17, Z7, Z7           \
	VMULPS (R10)(DX*1), Z4, Z4   \
	VMULPS 64(R10)(DX*1), Z5, Z5 \
	VMULPS 128(R10)(DX*1), Z6, Z6 \
	VMULPS 192(R10)(DX*1), Z7, Z7 \
	VMOVUPS Z4, (DI)(DX*1)       \
	VMOVUPS Z5, 64(DI)(DX*1)     \
	VMOVUPS Z6, 128(DI)(DX*1)    \
	VMOVUPS Z7, 192(DI)(DX*1)

#define SCALE1 \
	VMOVUPS.Z (SI)(DX*1), K1, Z4  \
	VMOVUPS.Z (R10)(DX*1), K1, Z5 \
	VSUBPS Z16, Z4, Z4            \
	VMULPS Z17, Z4, Z4            \
	VMULPS Z5, Z4, Z4             \
	VMOVUPS Z4, K1, (DI)(DX*1)

#define BIAS4 \
	VMOVUPS (DI)(DX*1), Z4    \
	VMOVUPS 64(DI)(DX*1), Z5  \
	VMOVUPS 128(DI)(DX*1), Z6 \
	VMOVUPS 192(DI)(DX*1), Z7 \
	VADDPS (R11)(DX*1), Z4, Z4 \
	VADDPS 64(R11)(DX*1), Z5, Z5 \
	VADDPS 128(R11)(DX*1), Z6, Z6 \
	VADDPS 192(R11)(DX*1), Z7, Z7 \
	VMOVUPS Z4, (DI)(DX*1)    \
	VMOVUPS Z5, 64(DI)(DX*1)  \
	VMOVUPS Z6, 128(DI)(DX*1) \
	VMOVUPS Z7, 192(DI)(DX*1)

#define BIAS1 \
	VMOVUPS.Z (DI)(DX*1), K1, Z4  \
	VMOVUPS.Z (R11)(DX*1), K1, Z5 \
	VADDPS Z5, Z4, Z4             \
	VMOVUPS Z4, K1, (DI)(DX*1)

// INVERSE sets Z17 to 1/sqrt(X0/R8 + eps).
#define INVERSE(eps) \
	VDIVSS X31, X0, X0    \
	VADDSS eps, X0, X0    \
	VSQRTSS X0, X0, X0    \
	VMOVSS ONE, X1        \
	VDIVSS X0, X1, X1     \
	VBROADCASTSS X1, Z17

// func layerNorm512(dst, x, res, gain, bias []float32, eps float32)
TEXT ·layerNorm512(SB), NOSPLIT, $0-124
	MOVQ  dst_base+0(FP), DI
	MOVQ  x_base+24(FP), SI
	MOVQ  x_len+32(FP), R8
	MOVQ  res_base+48(FP), R9
	MOVQ  gain_base+72(FP), R10
	MOVQ  bias_base+96(FP), R11
	VCVTSI2SSQ R8, X31, X31
	TESTQ R9, R9
	JZ    sum
	ROW(ADD4, ADD1, add4, add2, add1, sum)
	CLEAR
	ROW(SUM4, SUM1, sum4, sum2, sum1, mean)
	REDUCE
	VDIVSS X31, X0, X0
	VBROADCASTSS X0, Z16
	CLEAR
	ROW(SQUARE4, SQUARE1, square4, square2, square1, inverse)
	REDUCE
	INVERSE(eps+120(FP))
	ROW(SCALE4, SCALE1, scale4, scale2, scale1, scaled)
	TESTQ R11, R11
	JZ    done
	ROW(BIAS4, BIAS1, bias4, bias2, bias1, done)
	VZEROUPPER
	RET

// func rmsNorm512(dst, x, res, gain []float32, eps float32)
TEXT ·rmsNorm512(SB), NOSPLIT, $0-100
	MOVQ  dst_base+0(FP), DI
	MOVQ  x_base+24(FP), SI
	MOVQ  x_len+32(FP), R8
	MOVQ  res_base+48(FP), R9
	MOVQ  gain_base+72(FP), R10
	VCVTSI2SSQ R8, X31, X31
	VPXORD Z16, Z16, Z16
	TESTQ R9, R9
	JZ    square
	ROW(ADD4, ADD1, add4, add2, add1, square)
	CLEAR
	ROW(SQUARE4, SQUARE1, square4, square2, square1, inverse)
	REDUCE
	INVERSE(eps+96(FP))
	ROW(SCALE4, SCALE1, scale4, scale2, scale1, scaled)
	VZEROUPPER
	RET

#define PEAK4 \
	VPANDD (SI)(DX*1), Z16, Z4    \
	VPANDD 64(SI)(DX*1), Z16, Z5  \
	VPANDD 128(SI)(DX*1), Z16, Z6 \
	VPANDD 192(SI)(DX*1), Z16, Z7 \
	VPMAXUD Z4, Z0, Z0            \
	VPMAXUD Z5, Z1, Z1            \
	VPMAXUD Z6, Z2, Z2            \
	VPMAXUD Z7, Z3, Z3

#define PEAK1 \
	VMOVDQU32.Z (SI)(DX*1), K1, Z4 \
	VPANDD Z16, Z4, Z4             \
	VPMAXUD Z4, Z0, Z0

// func maxAbs512(x []float32) float32
TEXT ·maxAbs512(SB), NOSPLIT, $0-28
	MOVQ  x_base+0(FP), SI
	MOVQ  x_len+8(FP), R8
	VPBROADCASTD ABS, Z16
	CLEAR
	ROW(PEAK4, PEAK1, peak4, peak2, peak1, most)
	VPMAXUD Z1, Z0, Z0
	VPMAXUD Z3, Z2, Z2
	VPMAXUD Z2, Z0, Z0
	VEXTRACTI64X4 $1, Z0, Y1
	VPMAXUD Y1, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPMAXUD X1, X0, X0
	VPSHUFD $0x4e, X0, X1
	VPMAXUD X1, X0, X0
	VPSHUFD $0xb1, X0, X1
	VPMAXUD X1, X0, X0
	VMOVSS X0, ret+24(FP)
	VZEROUPPER
	RET

#define EXTENT4 \
	VMOVUPS (SI)(DX*1), Z4    \
	VMOVUPS 64(SI)(DX*1), Z5  \
	VMOVUPS 128(SI)(DX*1), Z6 \
	VMOVUPS 192(SI)(DX*1), Z7 \
	VMINPS Z4, Z0, Z0         \
	VMAXPS Z4, Z2, Z2         \
	VMINPS Z5, Z1, Z1         \
	VMAXPS Z5, Z3, Z3         \
	VMINPS Z6, Z0, Z0         \
	VMAXPS Z6, Z2, Z2         \
	VMINPS Z7, Z1, Z1         \
	VMAXPS Z7, Z3, Z3

#define EXTENT1 \
	VMOVUPS.Z (SI)(DX*1), K1, Z4 \
	VMINPS Z4, Z0, Z0            \
	VMAXPS Z4, Z2, Z2

// func minMax512(x []float32) (lo, hi float32)
TEXT ·minMax512(SB), NOSPLIT, $0-32
	MOVQ  x_base+0(FP), SI
	MOVQ  x_len+8(FP), R8
	CLEAR
	ROW(EXTENT4, EXTENT1, extent4, extent2, extent1, ends)
	VMINPS Z1, Z0, Z0
	VMAXPS Z3, Z2, Z2
	VEXTRACTF64X4 $1, Z0, Y1
	VEXTRACTF64X4 $1, Z2, Y3
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

// R9 is DX/4, the offset in the bytes.
#define QUANTISE4 \
	VMOVUPS (SI)(DX*1), Z4        \
	VMOVUPS 64(SI)(DX*1), Z5      \
	VMOVUPS 128(SI)(DX*1), Z6     \
	VMOVUPS 192(SI)(DX*1), Z7     \
	VSUBPS Z18, Z4, Z4            \
	VSUBPS Z18, Z5, Z5            \
	VSUBPS Z18, Z6, Z6            \
	VSUBPS Z18, Z7, Z7            \
	VMULPS Z16, Z4, Z4            \
	VMULPS Z16, Z5, Z5            \
	VMULPS Z16, Z6, Z6            \
	VMULPS Z16, Z7, Z7            \
	VCVTPS2DQ Z4, Z4              \
	VCVTPS2DQ Z5, Z5              \
	VCVTPS2DQ Z6, Z6              \
	VCVTPS2DQ Z7, Z7              \
	VPADDD Z17, Z4, Z4            \
	VPADDD Z17, Z5, Z5            \
	VPADDD Z17, Z6, Z6            \
	VPADDD Z17, Z7, Z7            \
	VPMOVDB Z4, X4                \
	VPMOVDB Z5, X5                \
	VPMOVDB Z6, X6                \
	VPMOVDB Z7, X7                \
	VMOVDQU X4, (DI)              \
	VMOVDQU X5, 16(DI)            \
	VMOVDQU X6, 32(DI)            \
	VMOVDQU X7, 48(DI)            \
	ADDQ $64, DI

#define QUANTISE1 \
	VMOVUPS.Z (SI)(DX*1), K1, Z4 \
	VSUBPS Z18, Z4, Z4           \
	VMULPS Z16, Z4, Z4           \
	VCVTPS2DQ Z4, Z4             \
	VPADDD Z17, Z4, Z4           \
	VPMOVDB Z4, K1, (DI)         \
	ADDQ $16, DI

// func quantize512(dst []byte, x []float32, middle, inverse float32)
//
// 128 is added to the integers to make them unsigned.
TEXT ·quantize512(SB), NOSPLIT, $0-56
	MOVQ  dst_base+0(FP), DI
	MOVQ  x_base+24(FP), SI
	MOVQ  x_len+32(FP), R8
	VBROADCASTSS middle+48(FP), Z18
	VBROADCASTSS inverse+52(FP), Z16
	VPBROADCASTD OFFSET, Z17
	ROW(QUANTISE4, QUANTISE1, quantise4, quantise2, quantise1, done)
	VZEROUPPER
	RET
