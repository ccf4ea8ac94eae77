#include "textflag.h"

// The int8 tiles have the layout of the float32 tiles but process four inputs per
// step. VPDPBUSD adds the products of four unsigned and four signed bytes to each
// of 16 sums, so 128 is added to the activations. The accumulators start at -128
// times the column sums to compensate.

#define IROW0(off) VPBROADCASTD off(SI), Z30; VPDPBUSD Z28, Z30, Z0; VPDPBUSD Z29, Z30, Z1
#define IROW1(off) VPBROADCASTD off(SI)(DX*1), Z31; VPDPBUSD Z28, Z31, Z2; VPDPBUSD Z29, Z31, Z3
#define IROW2(off) VPBROADCASTD off(SI)(DX*2), Z30; VPDPBUSD Z28, Z30, Z4; VPDPBUSD Z29, Z30, Z5
#define IROW3(off) VPBROADCASTD off(R8), Z31; VPDPBUSD Z28, Z31, Z6; VPDPBUSD Z29, Z31, Z7
#define IROW4(off) VPBROADCASTD off(R8)(DX*1), Z30; VPDPBUSD Z28, Z30, Z8; VPDPBUSD Z29, Z30, Z9
#define IROW5(off) VPBROADCASTD off(R8)(DX*2), Z31; VPDPBUSD Z28, Z31, Z10; VPDPBUSD Z29, Z31, Z11
#define IROW6(off) VPBROADCASTD off(R9), Z30; VPDPBUSD Z28, Z30, Z12; VPDPBUSD Z29, Z30, Z13
#define IROW7(off) VPBROADCASTD off(R9)(DX*1), Z31; VPDPBUSD Z28, Z31, Z14; VPDPBUSD Z29, Z31, Z15
#define IROW8(off) VPBROADCASTD off(R9)(DX*2), Z30; VPDPBUSD Z28, Z30, Z16; VPDPBUSD Z29, Z30, Z17
#define IROW9(off) VPBROADCASTD off(R10), Z31; VPDPBUSD Z28, Z31, Z18; VPDPBUSD Z29, Z31, Z19
#define IROW10(off) VPBROADCASTD off(R10)(DX*1), Z30; VPDPBUSD Z28, Z30, Z20; VPDPBUSD Z29, Z30, Z21
#define IROW11(off) VPBROADCASTD off(R10)(DX*2), Z31; VPDPBUSD Z28, Z31, Z22; VPDPBUSD Z29, Z31, Z23
#define IROW12(off) VPBROADCASTD off(R11), Z30; VPDPBUSD Z28, Z30, Z24; VPDPBUSD Z29, Z30, Z25
#define IROW13(off) VPBROADCASTD off(R11)(DX*1), Z31; VPDPBUSD Z28, Z31, Z26; VPDPBUSD Z29, Z31, Z27

#define ITILE1(off) IROW0(off)
#define ITILE2(off) ITILE1(off); IROW1(off)
#define ITILE3(off) ITILE2(off); IROW2(off)
#define ITILE4(off) ITILE3(off); IROW3(off)
#define ITILE5(off) ITILE4(off); IROW4(off)
#define ITILE6(off) ITILE5(off); IROW5(off)
#define ITILE7(off) ITILE6(off); IROW6(off)
#define ITILE8(off) ITILE7(off); IROW7(off)
#define ITILE9(off) ITILE8(off); IROW8(off)
#define ITILE10(off) ITILE9(off); IROW9(off)
#define ITILE11(off) ITILE10(off); IROW10(off)
#define ITILE12(off) ITILE11(off); IROW11(off)
#define ITILE13(off) ITILE12(off); IROW12(off)
#define ITILE14(off) ITILE13(off); IROW13(off)

#define ISTEP(TILE, at, off) \
	VMOVDQU32 at(DI), Z28    \
	VMOVDQU32 at+64(DI), Z29 \
	TILE(off)

#define ILOOP(TILE, FOUR, ONE, REST, END) \
	TESTQ CX, CX \
	JZ    REST   \
FOUR: \
	ISTEP(TILE, 0, 0)    \
	ISTEP(TILE, 128, 4)  \
	ISTEP(TILE, 256, 8)  \
	ISTEP(TILE, 384, 12) \
	ADDQ $16, SI  \
	ADDQ $16, R8  \
	ADDQ $16, R9  \
	ADDQ $16, R10 \
	ADDQ $16, R11 \
	ADDQ $512, DI \
	DECQ CX       \
	JNZ  FOUR     \
REST: \
	TESTQ BX, BX \
	JZ    END    \
ONE: \
	ISTEP(TILE, 0, 0) \
	ADDQ $4, SI   \
	ADDQ $4, R8   \
	ADDQ $4, R9   \
	ADDQ $4, R10  \
	ADDQ $4, R11  \
	ADDQ $128, DI \
	DECQ BX       \
	JNZ  ONE      \
	JMP  END

// IFINISH writes a row: (sum*column + step*total)*scale + bias.
#define IFINISH(r, lo, hi, to, next) \
	VBROADCASTSS r(R12), Z30        \
	VBROADCASTSS r(BX), Z31         \
	VCVTDQ2PS   lo, lo              \
	VCVTDQ2PS   hi, hi              \
	VMULPS      Z28, lo, lo         \
	VMULPS      Z29, hi, hi         \
	VFMADD231PS (CX), Z31, lo       \
	VFMADD231PS 64(CX), Z31, hi     \
	VFMADD213PS (R14), Z30, lo      \
	VFMADD213PS 64(R14), Z30, hi    \
	VMOVUPS     lo, to              \
	VMOVUPS     hi, next

// func gemm8x512(rows, k int, a []byte, lda int, b []int8, c []float32, ldc int, scale, columns, bias []float32, sums []int32, steps, totals []float32)
TEXT ·gemm8x512(SB), NOSPLIT, $0-248
	MOVQ rows+0(FP), AX
	MOVQ k+8(FP), CX
	MOVQ a_base+16(FP), SI
	MOVQ lda+40(FP), DX
	MOVQ b_base+48(FP), DI
	LEAQ (DX)(DX*2), R13
	LEAQ (SI)(R13*1), R8
	LEAQ (R8)(R13*1), R9
	LEAQ (R9)(R13*1), R10
	LEAQ (R10)(R13*1), R11
	SHRQ $2, CX
	MOVQ CX, BX
	ANDQ $3, BX
	SHRQ $2, CX
	MOVQ sums_base+176(FP), R12
	VMOVDQU32 (R12), Z0
	VMOVDQU32 64(R12), Z1
	VMOVDQA32 Z0, Z2
	VMOVDQA32 Z1, Z3
	VMOVDQA32 Z0, Z4
	VMOVDQA32 Z1, Z5
	VMOVDQA32 Z0, Z6
	VMOVDQA32 Z1, Z7
	VMOVDQA32 Z0, Z8
	VMOVDQA32 Z1, Z9
	VMOVDQA32 Z0, Z10
	VMOVDQA32 Z1, Z11
	VMOVDQA32 Z0, Z12
	VMOVDQA32 Z1, Z13
	VMOVDQA32 Z0, Z14
	VMOVDQA32 Z1, Z15
	VMOVDQA32 Z0, Z16
	VMOVDQA32 Z1, Z17
	VMOVDQA32 Z0, Z18
	VMOVDQA32 Z1, Z19
	VMOVDQA32 Z0, Z20
	VMOVDQA32 Z1, Z21
	VMOVDQA32 Z0, Z22
	VMOVDQA32 Z1, Z23
	VMOVDQA32 Z0, Z24
	VMOVDQA32 Z1, Z25
	VMOVDQA32 Z0, Z26
	VMOVDQA32 Z1, Z27
	CMPQ AX, $14
	JEQ  rows14
	CMPQ AX, $13
	JEQ  rows13
	CMPQ AX, $12
	JEQ  rows12
	CMPQ AX, $11
	JEQ  rows11
	CMPQ AX, $10
	JEQ  rows10
	CMPQ AX, $9
	JEQ  rows9
	CMPQ AX, $8
	JEQ  rows8
	CMPQ AX, $7
	JEQ  rows7
	CMPQ AX, $6
	JEQ  rows6
	CMPQ AX, $5
	JEQ  rows5
	CMPQ AX, $4
	JEQ  rows4
	CMPQ AX, $3
	JEQ  rows3
	CMPQ AX, $2
	JEQ  rows2
	JMP  rows1

rows14:
	ILOOP(ITILE14, four14, one14, rest14, done)
rows13:
	ILOOP(ITILE13, four13, one13, rest13, done)
rows12:
	ILOOP(ITILE12, four12, one12, rest12, done)
rows11:
	ILOOP(ITILE11, four11, one11, rest11, done)
rows10:
	ILOOP(ITILE10, four10, one10, rest10, done)
rows9:
	ILOOP(ITILE9, four9, one9, rest9, done)
rows8:
	ILOOP(ITILE8, four8, one8, rest8, done)
rows7:
	ILOOP(ITILE7, four7, one7, rest7, done)
rows6:
	ILOOP(ITILE6, four6, one6, rest6, done)
rows5:
	ILOOP(ITILE5, four5, one5, rest5, done)
rows4:
	ILOOP(ITILE4, four4, one4, rest4, done)
rows3:
	ILOOP(ITILE3, four3, one3, rest3, done)
rows2:
	ILOOP(ITILE2, four2, one2, rest2, done)
rows1:
	ILOOP(ITILE1, four1, one1, rest1, done)

done:
	MOVQ c_base+72(FP), SI
	MOVQ ldc+96(FP), DX
	SHLQ $2, DX
	LEAQ (DX)(DX*2), R13
	LEAQ (SI)(R13*1), R8
	LEAQ (R8)(R13*1), R9
	LEAQ (R9)(R13*1), R10
	LEAQ (R10)(R13*1), R11
	MOVQ scale_base+104(FP), R12
	MOVQ columns_base+128(FP), R13
	MOVQ bias_base+152(FP), R14
	MOVQ steps_base+200(FP), BX
	MOVQ totals_base+224(FP), CX
	VMOVUPS (R13), Z28
	VMOVUPS 64(R13), Z29
	CMPQ AX, $14
	JEQ  finish14
	CMPQ AX, $13
	JEQ  finish13
	CMPQ AX, $12
	JEQ  finish12
	CMPQ AX, $11
	JEQ  finish11
	CMPQ AX, $10
	JEQ  finish10
	CMPQ AX, $9
	JEQ  finish9
	CMPQ AX, $8
	JEQ  finish8
	CMPQ AX, $7
	JEQ  finish7
	CMPQ AX, $6
	JEQ  finish6
	CMPQ AX, $5
	JEQ  finish5
	CMPQ AX, $4
	JEQ  finish4
	CMPQ AX, $3
	JEQ  finish3
	CMPQ AX, $2
	JEQ  finish2
	JMP  finish1

finish14:
	IFINISH(52, Z26, Z27, 0(R11)(DX*1), 64(R11)(DX*1))
finish13:
	IFINISH(48, Z24, Z25, 0(R11), 64(R11))
finish12:
	IFINISH(44, Z22, Z23, 0(R10)(DX*2), 64(R10)(DX*2))
finish11:
	IFINISH(40, Z20, Z21, 0(R10)(DX*1), 64(R10)(DX*1))
finish10:
	IFINISH(36, Z18, Z19, 0(R10), 64(R10))
finish9:
	IFINISH(32, Z16, Z17, 0(R9)(DX*2), 64(R9)(DX*2))
finish8:
	IFINISH(28, Z14, Z15, 0(R9)(DX*1), 64(R9)(DX*1))
finish7:
	IFINISH(24, Z12, Z13, 0(R9), 64(R9))
finish6:
	IFINISH(20, Z10, Z11, 0(R8)(DX*2), 64(R8)(DX*2))
finish5:
	IFINISH(16, Z8, Z9, 0(R8)(DX*1), 64(R8)(DX*1))
finish4:
	IFINISH(12, Z6, Z7, 0(R8), 64(R8))
finish3:
	IFINISH(8, Z4, Z5, 0(SI)(DX*2), 64(SI)(DX*2))
finish2:
	IFINISH(4, Z2, Z3, 0(SI)(DX*1), 64(SI)(DX*1))
finish1:
	IFINISH(0, Z0, Z1, 0(SI), 64(SI))
	VZEROUPPER
	RET
