#include "textflag.h"
#include "numbers_amd64.h"

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
	FOLD(VPMAXUD)
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
