#include "textflag.h"
#include "numbers_amd64.h"

// REMAINDER sets CX to the remainder of BX divided by 16, and K1 to its mask.
#define REMAINDER \
	MOVQ  BX, CX     \
	ANDQ  $15, CX    \
	MOVL  $-1, AX    \
	BZHIL CX, AX, AX \
	KMOVW AX, K1

// ACTIVATE applies BODY, which maps Z0, to rows of n values, 16 at a time. The
// remainder is masked by K1.
#define ACTIVATE(BODY, ROW, FULL, REST, NEXT) \
	MOVQ  x_base+0(FP), SI \
	MOVQ  ld+24(FP), DX    \
	MOVQ  rows+32(FP), R8  \
	MOVQ  n+40(FP), BX     \
	SHLQ  $2, DX           \
	REMAINDER              \
	SHRQ  $4, BX           \
ROW: \
	MOVQ  SI, DI           \
	MOVQ  BX, R9           \
	TESTQ R9, R9           \
	JZ    REST             \
FULL: \
	VMOVUPS (DI), Z0       \
	BODY                   \
	VMOVUPS Z0, (DI)       \
	ADDQ  $64, DI          \
	DECQ  R9               \
	JNZ   FULL             \
REST: \
	TESTQ CX, CX           \
	JZ    NEXT             \
	VMOVUPS.Z (DI), K1, Z0 \
	BODY                   \
	VMOVUPS Z0, K1, (DI)   \
NEXT: \
	ADDQ  DX, SI           \
	DECQ  R8               \
	JNZ   ROW              \
	VZEROUPPER             \
	RET

// GELU computes x*(1/2 + z*P(z²)/Q(z²)), where z is x clamped to ±5.5, or 0 for
// x < -5.5.
#define GELU \
	VMINPS Z0, Z31, Z1      \
	VMAXPS Z1, Z30, Z1      \
	VMULPS Z1, Z1, Z2       \
	VMOVAPS Z29, Z3         \
	VMOVAPS Z24, Z4         \
	VFMADD213PS Z28, Z2, Z3 \
	VFMADD213PS Z23, Z2, Z4 \
	VFMADD213PS Z27, Z2, Z3 \
	VFMADD213PS Z22, Z2, Z4 \
	VFMADD213PS Z26, Z2, Z3 \
	VFMADD213PS Z21, Z2, Z4 \
	VFMADD213PS Z25, Z2, Z3 \
	VFMADD213PS Z20, Z2, Z4 \
	VMULPS Z1, Z3, Z3       \
	VFMADD213PS Z19, Z2, Z4 \
	VFMADD213PS Z18, Z2, Z4 \
	VDIVPS Z4, Z3, Z3       \
	VADDPS Z16, Z3, Z3      \
	VCMPPS $5, Z30, Z0, K2  \
	VMULPS.Z Z0, Z3, K2, Z0

// func gelu512(x []float32, ld, rows, n int)
TEXT ·gelu512(SB), NOSPLIT, $0-48
	VBROADCASTSS FAR, Z31
	VBROADCASTSS FAR_NEG, Z30
	VBROADCASTSS ERF_P4, Z29
	VBROADCASTSS ERF_P3, Z28
	VBROADCASTSS ERF_P2, Z27
	VBROADCASTSS ERF_P1, Z26
	VBROADCASTSS ERF_P0, Z25
	VBROADCASTSS ERF_Q6, Z24
	VBROADCASTSS ERF_Q5, Z23
	VBROADCASTSS ERF_Q4, Z22
	VBROADCASTSS ERF_Q3, Z21
	VBROADCASTSS ERF_Q2, Z20
	VBROADCASTSS ERF_Q1, Z19
	VBROADCASTSS ONE, Z18
	VBROADCASTSS HALF, Z16
	ACTIVATE(GELU, row, full, rest, next)

// EXP_NUMBERS loads the constants of EXP and SIGMOID.
#define EXP_NUMBERS \
	VBROADCASTSS EXP5, Z31 \
	VBROADCASTSS EXP4, Z30 \
	VBROADCASTSS EXP3, Z29 \
	VBROADCASTSS EXP2, Z28 \
	VBROADCASTSS EXP1, Z27 \
	VBROADCASTSS ONE, Z26  \
	VBROADCASTSS TWO, Z25  \
	VBROADCASTSS LOW, Z24  \
	VBROADCASTSS HIGH, Z23

// EXP sets Z3 to 2^Z1. The first step clamps Z1 to at least -126 and keeps NaN,
// as the comparison returns its second source, here Z1, if either is NaN.
#define EXP \
	VMAXPS Z1, Z24, Z1      \
	VRNDSCALEPS $8, Z1, Z2  \
	VSUBPS Z2, Z1, Z1       \
	VMOVAPS Z31, Z3         \
	VFMADD213PS Z30, Z1, Z3 \
	VFMADD213PS Z29, Z1, Z3 \
	VFMADD213PS Z28, Z1, Z3 \
	VFMADD213PS Z27, Z1, Z3 \
	VFMADD213PS Z26, Z1, Z3 \
	VSCALEFPS Z2, Z3, Z3

// SIGMOID sets Z4 to 1/(1+2^Z1), and K2 for lanes where that does not underflow.
#define SIGMOID \
	VCMPPS $10, Z23, Z1, K2 \
	EXP                     \
	VADDPS Z26, Z3, Z3      \
	VDIVPS Z3, Z26, Z4

// x/2*(1+tanh(y)) = x/(1+exp(-2y)).
#define GELU_TANH \
	VMULPS Z0, Z0, Z1       \
	VFMADD213PS Z22, Z21, Z1 \
	VMULPS Z0, Z1, Z1       \
	SIGMOID                 \
	VMULPS.Z Z0, Z4, K2, Z0

// func geluTanh512(x []float32, ld, rows, n int)
TEXT ·geluTanh512(SB), NOSPLIT, $0-48
	EXP_NUMBERS
	VBROADCASTSS TANH1, Z22
	VBROADCASTSS TANH3, Z21
	ACTIVATE(GELU_TANH, row, full, rest, next)

// tanh(x) = 1 - 2/(1+exp(2x)); the quotient is 0 if exp(2x) is out of range.
#define HYPERBOLIC \
	VMULPS Z22, Z0, Z1      \
	SIGMOID                 \
	VMOVAPS.Z Z4, K2, Z4    \
	VFNMADD213PS Z26, Z25, Z4 \
	VMOVAPS Z4, Z0

// func tanh512(x []float32, ld, rows, n int)
TEXT ·tanh512(SB), NOSPLIT, $0-48
	EXP_NUMBERS
	VBROADCASTSS LOG2E_2, Z22
	ACTIVATE(HYPERBOLIC, row, full, rest, next)

// func softmax512(s []float32, scale float32, bias []float32) float32
//
// scale must not be negative. Without a bias, the maximum is taken before scaling;
// with a bias, the first pass stores the biased values. The sum is that of 8 lanes, as
// in softmax256.
TEXT ·softmax512(SB), NOSPLIT, $0-60
	EXP_NUMBERS
	MOVQ  s_base+0(FP), SI
	MOVQ  s_len+8(FP), BX
	MOVQ  bias_base+32(FP), DX
	VBROADCASTSS LOWEST, Z24
	VBROADCASTSS scale+24(FP), Z22
	VBROADCASTSS LOG2E, Z21
	VBROADCASTSS MINUS_INF, Z20
	REMAINDER
	SHRQ  $4, BX
	MOVQ  SI, DI
	MOVQ  BX, R9
	TESTQ DX, DX
	JNZ   biased

	VMULPS Z22, Z21, Z21
	TESTQ R9, R9
	JZ    plainrest
plain:
	VMAXPS (DI), Z20, Z20
	ADDQ  $64, DI
	DECQ  R9
	JNZ   plain
plainrest:
	TESTQ CX, CX
	JZ    most
	VMOVUPS.Z (DI), K1, Z0
	VMAXPS Z0, Z20, K1, Z20
	JMP   most

biased:
	TESTQ R9, R9
	JZ    biasedrest
biasedfull:
	VMOVUPS (DI), Z0
	VFMADD213PS (DX), Z22, Z0
	VMOVUPS Z0, (DI)
	VMAXPS Z0, Z20, Z20
	ADDQ  $64, DI
	ADDQ  $64, DX
	DECQ  R9
	JNZ   biasedfull
biasedrest:
	TESTQ CX, CX
	JZ    most
	VMOVUPS.Z (DI), K1, Z0
	VMOVUPS.Z (DX), K1, Z1
	VFMADD213PS Z1, Z22, Z0
	VMOVUPS Z0, K1, (DI)
	VMAXPS Z0, Z20, K1, Z20

most:
	VEXTRACTF64X4 $1, Z20, Y0
	VMAXPS Y0, Y20, Y0
	VEXTRACTF128 $1, Y0, X1
	VMAXPS X1, X0, X0
	FOLD(VMAXPS)
	VBROADCASTSS X0, Z20
	VPXORD Z19, Z19, Z19
	TESTQ BX, BX
	JZ    rest
full:
	VMOVUPS (SI), Z1
	VSUBPS Z20, Z1, Z1
	VMULPS Z21, Z1, Z1
	EXP
	VMOVUPS Z3, (SI)
	VEXTRACTF64X4 $1, Z3, Y4
	VADDPS Y3, Y19, Y19
	VADDPS Y4, Y19, Y19
	ADDQ  $64, SI
	DECQ  BX
	JNZ   full
rest:
	TESTQ CX, CX
	JZ    sum
	VMOVUPS.Z (SI), K1, Z1
	VSUBPS Z20, Z1, Z1
	VMULPS Z21, Z1, Z1
	EXP
	VMOVUPS Z3, K1, (SI)
	VMOVAPS.Z Z3, K1, Z3
	VEXTRACTF64X4 $1, Z3, Y4
	VADDPS Y3, Y19, Y19
	VADDPS Y4, Y19, Y19
sum:
	VMOVAPS Y19, Y0
	VEXTRACTF128 $1, Y0, X1
	VADDPS X1, X0, X0
	FOLD(VADDPS)
	VMOVSS X0, ret+56(FP)
	VZEROUPPER
	RET

// func multiply512(dst []float32, ldd int, x []float32, ldx, rows, n int)
TEXT ·multiply512(SB), NOSPLIT, $0-80
	MOVQ  dst_base+0(FP), DI
	MOVQ  ldd+24(FP), R8
	MOVQ  x_base+32(FP), SI
	MOVQ  ldx+56(FP), R9
	MOVQ  rows+64(FP), R10
	MOVQ  n+72(FP), BX
	SHLQ  $2, R8
	SHLQ  $2, R9
	REMAINDER
	ANDQ  $-16, BX
	SHLQ  $2, BX
row:
	XORQ  DX, DX
	JMP   check
full:
	VMOVUPS (DI)(DX*1), Z0
	VMULPS (SI)(DX*1), Z0, Z0
	VMOVUPS Z0, (DI)(DX*1)
	ADDQ  $64, DX
check:
	CMPQ  DX, BX
	JLT   full
	TESTQ CX, CX
	JZ    next
	VMOVUPS.Z (DI)(DX*1), K1, Z0
	VMOVUPS.Z (SI)(DX*1), K1, Z1
	VMULPS Z1, Z0, Z0
	VMOVUPS Z0, K1, (DI)(DX*1)
next:
	ADDQ  R8, DI
	ADDQ  R9, SI
	DECQ  R10
	JNZ   row
	VZEROUPPER
	RET
