#include "textflag.h"
#include "numbers_amd64.h"

// REMAINDER divides BX by 8 and sets CX to the remainder and R10 to its mask.
#define REMAINDER \
	MOVQ  BX, CX     \
	ANDQ  $7, CX     \
	SHRQ  $3, BX     \
	LEAQ  MASKS, R10 \
	LEAQ  (CX*4), R9 \
	SUBQ  R9, R10

// ACTIVATE applies BODY, which maps Y0, to rows of n values, 8 at a time. The
// remainder is masked by the mask at R10.
#define ACTIVATE(BODY, ROW, FULL, REST, NEXT) \
	MOVQ  x_base+0(FP), SI \
	MOVQ  ld+24(FP), DX    \
	MOVQ  rows+32(FP), R8  \
	MOVQ  n+40(FP), BX     \
	SHLQ  $2, DX           \
	REMAINDER              \
ROW: \
	MOVQ  SI, DI           \
	MOVQ  BX, R9           \
	TESTQ R9, R9           \
	JZ    REST             \
FULL: \
	VMOVUPS (DI), Y0       \
	BODY                   \
	VMOVUPS Y0, (DI)       \
	ADDQ  $32, DI          \
	DECQ  R9               \
	JNZ   FULL             \
REST: \
	TESTQ CX, CX           \
	JZ    NEXT             \
	VMOVUPS (R10), Y1      \
	VMASKMOVPS (DI), Y1, Y0 \
	BODY                   \
	VMOVUPS (R10), Y1      \
	VMASKMOVPS Y0, Y1, (DI) \
NEXT: \
	ADDQ  DX, SI           \
	DECQ  R8               \
	JNZ   ROW              \
	VZEROUPPER             \
	RET

// GELU computes x*(1/2 + z*P(z²)/Q(z²)), where z is x clamped to ±5.5, or 0 for
// x < -5.5.
#define GELU \
	VMINPS Y0, Y6, Y1       \
	VMAXPS Y1, Y5, Y1       \
	VMULPS Y1, Y1, Y2       \
	VBROADCASTSS ERF_P4, Y3 \
	VBROADCASTSS ERF_Q6, Y4 \
	VFMADD213PS Y15, Y2, Y3 \
	VFMADD213PS Y11, Y2, Y4 \
	VFMADD213PS Y14, Y2, Y3 \
	VFMADD213PS Y10, Y2, Y4 \
	VFMADD213PS Y13, Y2, Y3 \
	VFMADD213PS Y9, Y2, Y4  \
	VFMADD213PS Y12, Y2, Y3 \
	VFMADD213PS Y8, Y2, Y4  \
	VMULPS Y1, Y3, Y3       \
	VFMADD213PS Y7, Y2, Y4  \
	VBROADCASTSS ONE, Y1    \
	VFMADD213PS Y1, Y2, Y4  \
	VDIVPS Y4, Y3, Y3       \
	VBROADCASTSS HALF, Y1   \
	VADDPS Y1, Y3, Y3       \
	VCMPPS $5, Y5, Y0, Y1   \
	VMULPS Y0, Y3, Y3       \
	VANDPS Y1, Y3, Y0

// func gelu256(x []float32, ld, rows, n int)
TEXT ·gelu256(SB), NOSPLIT, $0-48
	VBROADCASTSS FAR, Y6
	VBROADCASTSS FAR_NEG, Y5
	VBROADCASTSS ERF_P3, Y15
	VBROADCASTSS ERF_P2, Y14
	VBROADCASTSS ERF_P1, Y13
	VBROADCASTSS ERF_P0, Y12
	VBROADCASTSS ERF_Q5, Y11
	VBROADCASTSS ERF_Q4, Y10
	VBROADCASTSS ERF_Q3, Y9
	VBROADCASTSS ERF_Q2, Y8
	VBROADCASTSS ERF_Q1, Y7
	ACTIVATE(GELU, row, full, rest, next)

// EXP_NUMBERS loads the constants of EXP and SIGMOID.
#define EXP_NUMBERS \
	VBROADCASTSS EXP4, Y15 \
	VBROADCASTSS EXP3, Y14 \
	VBROADCASTSS EXP2, Y13 \
	VBROADCASTSS EXP1, Y12 \
	VBROADCASTSS ONE, Y11  \
	VBROADCASTSS LOW, Y10  \
	VPBROADCASTD ONE_INT, Y9

// EXP sets Y3 to 2^Y1. The first step clamps Y1 to at least -126 and keeps NaN,
// as the comparison returns its second source, here Y1, if either is NaN. The
// integer part becomes the exponent of the result.
#define EXP \
	VMAXPS Y1, Y10, Y1      \
	VROUNDPS $8, Y1, Y2     \
	VSUBPS Y2, Y1, Y1       \
	VBROADCASTSS EXP5, Y3   \
	VFMADD213PS Y15, Y1, Y3 \
	VCVTPS2DQ Y2, Y2        \
	VFMADD213PS Y14, Y1, Y3 \
	VPADDD Y9, Y2, Y2       \
	VFMADD213PS Y13, Y1, Y3 \
	VPSLLD $23, Y2, Y2      \
	VFMADD213PS Y12, Y1, Y3 \
	VFMADD213PS Y11, Y1, Y3 \
	VMULPS Y2, Y3, Y3

// SIGMOID sets Y3 to 1/(1+2^Y1), or to 0 if that underflows.
#define SIGMOID \
	VBROADCASTSS HIGH, Y4   \
	VCMPPS $10, Y4, Y1, Y4  \
	EXP                     \
	VADDPS Y11, Y3, Y3      \
	VDIVPS Y3, Y11, Y3      \
	VANDPS Y4, Y3, Y3

// x/2*(1+tanh(y)) = x/(1+exp(-2y)).
#define GELU_TANH \
	VMULPS Y0, Y0, Y1       \
	VFMADD213PS Y8, Y7, Y1  \
	VMULPS Y0, Y1, Y1       \
	SIGMOID                 \
	VMULPS Y0, Y3, Y0

// func geluTanh256(x []float32, ld, rows, n int)
TEXT ·geluTanh256(SB), NOSPLIT, $0-48
	EXP_NUMBERS
	VBROADCASTSS TANH1, Y8
	VBROADCASTSS TANH3, Y7
	ACTIVATE(GELU_TANH, row, full, rest, next)

// tanh(x) = 1 - 2/(1+exp(2x)).
#define HYPERBOLIC \
	VMULPS Y8, Y0, Y1       \
	SIGMOID                 \
	VMOVAPS Y11, Y0         \
	VFMADD231PS Y7, Y3, Y0

// func tanh256(x []float32, ld, rows, n int)
TEXT ·tanh256(SB), NOSPLIT, $0-48
	EXP_NUMBERS
	VBROADCASTSS LOG2E_2, Y8
	VBROADCASTSS TWO_NEG, Y7
	ACTIVATE(HYPERBOLIC, row, full, rest, next)

// SOFTMAX_EXP sets Y1 to exp(Y1*Y7-Y6), or to 0 if that is less than 2^-126.
#define SOFTMAX_EXP \
	VSUBPS Y6, Y1, Y1       \
	VMULPS Y7, Y1, Y1       \
	VCMPPS $5, Y10, Y1, Y4  \
	EXP                     \
	VANDPS Y4, Y3, Y3

// func softmax256(s []float32, scale float32, bias []float32) float32
//
// scale must not be negative. Without a bias, the maximum is taken before scaling;
// with a bias, the first pass stores the biased values.
TEXT ·softmax256(SB), NOSPLIT, $0-60
	EXP_NUMBERS
	MOVQ  s_base+0(FP), SI
	MOVQ  s_len+8(FP), BX
	MOVQ  bias_base+32(FP), DX
	VBROADCASTSS scale+24(FP), Y8
	VBROADCASTSS LOG2E, Y7
	VBROADCASTSS MINUS_INF, Y6
	REMAINDER
	MOVQ  SI, DI
	MOVQ  BX, R9
	TESTQ DX, DX
	JNZ   biased

	VMULPS Y8, Y7, Y7
	TESTQ R9, R9
	JZ    plainrest
plain:
	VMAXPS (DI), Y6, Y6
	ADDQ  $32, DI
	DECQ  R9
	JNZ   plain
plainrest:
	TESTQ CX, CX
	JZ    most
	VMOVUPS (R10), Y1
	VMASKMOVPS (DI), Y1, Y0
	VMAXPS Y0, Y6, Y0
	VBLENDVPS Y1, Y0, Y6, Y6
	JMP   most

biased:
	TESTQ R9, R9
	JZ    biasedrest
biasedfull:
	VMOVUPS (DI), Y0
	VFMADD213PS (DX), Y8, Y0
	VMOVUPS Y0, (DI)
	VMAXPS Y0, Y6, Y6
	ADDQ  $32, DI
	ADDQ  $32, DX
	DECQ  R9
	JNZ   biasedfull
biasedrest:
	TESTQ CX, CX
	JZ    most
	VMOVUPS (R10), Y1
	VMASKMOVPS (DI), Y1, Y0
	VMASKMOVPS (DX), Y1, Y2
	VFMADD213PS Y2, Y8, Y0
	VMASKMOVPS Y0, Y1, (DI)
	VMAXPS Y0, Y6, Y0
	VBLENDVPS Y1, Y0, Y6, Y6

most:
	VEXTRACTF128 $1, Y6, X0
	VMAXPS X0, X6, X0
	FOLD(VMAXPS)
	VBROADCASTSS X0, Y6
	VXORPS Y5, Y5, Y5
	TESTQ BX, BX
	JZ    rest
full:
	VMOVUPS (SI), Y1
	SOFTMAX_EXP
	VMOVUPS Y3, (SI)
	VADDPS Y3, Y5, Y5
	ADDQ  $32, SI
	DECQ  BX
	JNZ   full
rest:
	TESTQ CX, CX
	JZ    sum
	VMOVUPS (R10), Y0
	VMASKMOVPS (SI), Y0, Y1
	SOFTMAX_EXP
	VMASKMOVPS Y3, Y0, (SI)
	VANDPS Y0, Y3, Y3
	VADDPS Y3, Y5, Y5
sum:
	VEXTRACTF128 $1, Y5, X0
	VADDPS X0, X5, X0
	FOLD(VADDPS)
	VMOVSS X0, ret+56(FP)
	VZEROUPPER
	RET

// func multiply256(dst []float32, ldd int, x []float32, ldx, rows, n int)
TEXT ·multiply256(SB), NOSPLIT, $0-80
	MOVQ  dst_base+0(FP), DI
	MOVQ  ldd+24(FP), R8
	MOVQ  x_base+32(FP), SI
	MOVQ  ldx+56(FP), R9
	MOVQ  rows+64(FP), R10
	MOVQ  n+72(FP), BX
	SHLQ  $2, R8
	SHLQ  $2, R9
	MOVQ  BX, CX
	ANDQ  $7, CX
	LEAQ  MASKS, AX
	LEAQ  (CX*4), DX
	SUBQ  DX, AX
	VMOVUPS (AX), Y15
	ANDQ  $-8, BX
	SHLQ  $2, BX
row:
	XORQ  DX, DX
	JMP   check
full:
	VMOVUPS (DI)(DX*1), Y0
	VMULPS (SI)(DX*1), Y0, Y0
	VMOVUPS Y0, (DI)(DX*1)
	ADDQ  $32, DX
check:
	CMPQ  DX, BX
	JLT   full
	TESTQ CX, CX
	JZ    next
	VMASKMOVPS (DI)(DX*1), Y15, Y0
	VMASKMOVPS (SI)(DX*1), Y15, Y1
	VMULPS Y1, Y0, Y0
	VMASKMOVPS Y0, Y15, (DI)(DX*1)
next:
	ADDQ  R8, DI
	ADDQ  R9, SI
	DECQ  R10
	JNZ   row
	VZEROUPPER
	RET
