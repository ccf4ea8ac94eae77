#include "textflag.h"

// Tiles have up to 14 rows and 32 columns: 28 registers for sums, two for the
// columns of a step and two for broadcast row values. Each step has 28
// multiplications for 16 loads, so the loops are bound by the multipliers.
//
// Row r of a is at SI, R8, R9, R10 or R11 (rows 0, 3, 6, 9 and 12) plus 0, 1 or 2
// times DX, the row stride in bytes.

DATA ones<>+0(SB)/4, $0x3f800000
DATA ones<>+4(SB)/4, $0x3f800000
DATA ones<>+8(SB)/4, $0x3f800000
DATA ones<>+12(SB)/4, $0x3f800000
DATA ones<>+16(SB)/4, $0x3f800000
DATA ones<>+20(SB)/4, $0x3f800000
DATA ones<>+24(SB)/4, $0x3f800000
DATA ones<>+28(SB)/4, $0x3f800000
DATA ones<>+32(SB)/4, $0x3f800000
DATA ones<>+36(SB)/4, $0x3f800000
DATA ones<>+40(SB)/4, $0x3f800000
DATA ones<>+44(SB)/4, $0x3f800000
DATA ones<>+48(SB)/4, $0x3f800000
DATA ones<>+52(SB)/4, $0x3f800000
GLOBL ones<>(SB), RODATA|NOPTR, $56

#define FROW0(off) VBROADCASTSS off(SI), Z30; VFMADD231PS Z28, Z30, Z0; VFMADD231PS Z29, Z30, Z1
#define FROW1(off) VBROADCASTSS off(SI)(DX*1), Z31; VFMADD231PS Z28, Z31, Z2; VFMADD231PS Z29, Z31, Z3
#define FROW2(off) VBROADCASTSS off(SI)(DX*2), Z30; VFMADD231PS Z28, Z30, Z4; VFMADD231PS Z29, Z30, Z5
#define FROW3(off) VBROADCASTSS off(R8), Z31; VFMADD231PS Z28, Z31, Z6; VFMADD231PS Z29, Z31, Z7
#define FROW4(off) VBROADCASTSS off(R8)(DX*1), Z30; VFMADD231PS Z28, Z30, Z8; VFMADD231PS Z29, Z30, Z9
#define FROW5(off) VBROADCASTSS off(R8)(DX*2), Z31; VFMADD231PS Z28, Z31, Z10; VFMADD231PS Z29, Z31, Z11
#define FROW6(off) VBROADCASTSS off(R9), Z30; VFMADD231PS Z28, Z30, Z12; VFMADD231PS Z29, Z30, Z13
#define FROW7(off) VBROADCASTSS off(R9)(DX*1), Z31; VFMADD231PS Z28, Z31, Z14; VFMADD231PS Z29, Z31, Z15
#define FROW8(off) VBROADCASTSS off(R9)(DX*2), Z30; VFMADD231PS Z28, Z30, Z16; VFMADD231PS Z29, Z30, Z17
#define FROW9(off) VBROADCASTSS off(R10), Z31; VFMADD231PS Z28, Z31, Z18; VFMADD231PS Z29, Z31, Z19
#define FROW10(off) VBROADCASTSS off(R10)(DX*1), Z30; VFMADD231PS Z28, Z30, Z20; VFMADD231PS Z29, Z30, Z21
#define FROW11(off) VBROADCASTSS off(R10)(DX*2), Z31; VFMADD231PS Z28, Z31, Z22; VFMADD231PS Z29, Z31, Z23
#define FROW12(off) VBROADCASTSS off(R11), Z30; VFMADD231PS Z28, Z30, Z24; VFMADD231PS Z29, Z30, Z25
#define FROW13(off) VBROADCASTSS off(R11)(DX*1), Z31; VFMADD231PS Z28, Z31, Z26; VFMADD231PS Z29, Z31, Z27

#define FTILE1(off) FROW0(off)
#define FTILE2(off) FTILE1(off); FROW1(off)
#define FTILE3(off) FTILE2(off); FROW2(off)
#define FTILE4(off) FTILE3(off); FROW3(off)
#define FTILE5(off) FTILE4(off); FROW4(off)
#define FTILE6(off) FTILE5(off); FROW5(off)
#define FTILE7(off) FTILE6(off); FROW6(off)
#define FTILE8(off) FTILE7(off); FROW7(off)
#define FTILE9(off) FTILE8(off); FROW8(off)
#define FTILE10(off) FTILE9(off); FROW9(off)
#define FTILE11(off) FTILE10(off); FROW10(off)
#define FTILE12(off) FTILE11(off); FROW11(off)
#define FTILE13(off) FTILE12(off); FROW12(off)
#define FTILE14(off) FTILE13(off); FROW13(off)

// STEP adds the products of one input at offset at in the panel and off in the
// rows.
#define FSTEP(TILE, at, off) \
	VMOVUPS at(DI), Z28    \
	VMOVUPS at+64(DI), Z29 \
	TILE(off)

// FLOOP processes four inputs in each of CX iterations and then BX more. Each
// iteration prefetches one cache line for the next product.
#define FLOOP(TILE, FOUR, ONE, REST, END) \
	TESTQ CX, CX \
	JZ    REST   \
FOUR: \
	PREFETCHT1 (R12)     \
	ADDQ $64, R12        \
	FSTEP(TILE, 0, 0)    \
	FSTEP(TILE, 128, 4)  \
	FSTEP(TILE, 256, 8)  \
	FSTEP(TILE, 384, 12) \
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
	FSTEP(TILE, 0, 0) \
	ADDQ $4, SI   \
	ADDQ $4, R8   \
	ADDQ $4, R9   \
	ADDQ $4, R10  \
	ADDQ $4, R11  \
	ADDQ $128, DI \
	DECQ BX       \
	JNZ  ONE      \
	JMP  END

// FINISH writes a row: sum*scale + bias.
#define FINISH(r, lo, hi, to, next) \
	VBROADCASTSS r(R12), Z30  \
	VFMADD213PS Z28, Z30, lo  \
	VFMADD213PS Z29, Z30, hi  \
	VMOVUPS     lo, to        \
	VMOVUPS     hi, next

// func gemm512(rows, k int, a []float32, lda int, b, c []float32, ldc int, scale, bias, ahead []float32)
TEXT ·gemm512(SB), NOSPLIT, $0-176
	MOVQ rows+0(FP), AX
	MOVQ k+8(FP), CX
	MOVQ a_base+16(FP), SI
	MOVQ lda+40(FP), DX
	MOVQ b_base+48(FP), DI
	MOVQ ahead_base+152(FP), R12
	SHLQ $2, DX
	LEAQ (DX)(DX*2), R13
	LEAQ (SI)(R13*1), R8
	LEAQ (R8)(R13*1), R9
	LEAQ (R9)(R13*1), R10
	LEAQ (R10)(R13*1), R11
	MOVQ CX, BX
	ANDQ $3, BX
	SHRQ $2, CX
	VPXORD Z0, Z0, Z0
	VPXORD Z1, Z1, Z1
	VPXORD Z2, Z2, Z2
	VPXORD Z3, Z3, Z3
	VPXORD Z4, Z4, Z4
	VPXORD Z5, Z5, Z5
	VPXORD Z6, Z6, Z6
	VPXORD Z7, Z7, Z7
	VPXORD Z8, Z8, Z8
	VPXORD Z9, Z9, Z9
	VPXORD Z10, Z10, Z10
	VPXORD Z11, Z11, Z11
	VPXORD Z12, Z12, Z12
	VPXORD Z13, Z13, Z13
	VPXORD Z14, Z14, Z14
	VPXORD Z15, Z15, Z15
	VPXORD Z16, Z16, Z16
	VPXORD Z17, Z17, Z17
	VPXORD Z18, Z18, Z18
	VPXORD Z19, Z19, Z19
	VPXORD Z20, Z20, Z20
	VPXORD Z21, Z21, Z21
	VPXORD Z22, Z22, Z22
	VPXORD Z23, Z23, Z23
	VPXORD Z24, Z24, Z24
	VPXORD Z25, Z25, Z25
	VPXORD Z26, Z26, Z26
	VPXORD Z27, Z27, Z27
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
	FLOOP(FTILE14, four14, one14, rest14, done)
rows13:
	FLOOP(FTILE13, four13, one13, rest13, done)
rows12:
	FLOOP(FTILE12, four12, one12, rest12, done)
rows11:
	FLOOP(FTILE11, four11, one11, rest11, done)
rows10:
	FLOOP(FTILE10, four10, one10, rest10, done)
rows9:
	FLOOP(FTILE9, four9, one9, rest9, done)
rows8:
	FLOOP(FTILE8, four8, one8, rest8, done)
rows7:
	FLOOP(FTILE7, four7, one7, rest7, done)
rows6:
	FLOOP(FTILE6, four6, one6, rest6, done)
rows5:
	FLOOP(FTILE5, four5, one5, rest5, done)
rows4:
	FLOOP(FTILE4, four4, one4, rest4, done)
rows3:
	FLOOP(FTILE3, four3, one3, rest3, done)
rows2:
	FLOOP(FTILE2, four2, one2, rest2, done)
rows1:
	FLOOP(FTILE1, four1, one1, rest1, done)

done:
	MOVQ c_base+72(FP), SI
	MOVQ ldc+96(FP), DX
	SHLQ $2, DX
	LEAQ (DX)(DX*2), R13
	LEAQ (SI)(R13*1), R8
	LEAQ (R8)(R13*1), R9
	LEAQ (R9)(R13*1), R10
	LEAQ (R10)(R13*1), R11
	MOVQ  scale_base+104(FP), R12
	MOVQ  bias_base+128(FP), R14
	LEAQ  ones<>(SB), R13
	TESTQ R12, R12
	CMOVQEQ R13, R12
	VPXORD Z28, Z28, Z28
	VPXORD Z29, Z29, Z29
	TESTQ R14, R14
	JZ    finish
	VMOVUPS (R14), Z28
	VMOVUPS 64(R14), Z29

	// Write rows from last to first: sum*scale + bias.
finish:
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
	FINISH(52, Z26, Z27, 0(R11)(DX*1), 64(R11)(DX*1))
finish13:
	FINISH(48, Z24, Z25, 0(R11), 64(R11))
finish12:
	FINISH(44, Z22, Z23, 0(R10)(DX*2), 64(R10)(DX*2))
finish11:
	FINISH(40, Z20, Z21, 0(R10)(DX*1), 64(R10)(DX*1))
finish10:
	FINISH(36, Z18, Z19, 0(R10), 64(R10))
finish9:
	FINISH(32, Z16, Z17, 0(R9)(DX*2), 64(R9)(DX*2))
finish8:
	FINISH(28, Z14, Z15, 0(R9)(DX*1), 64(R9)(DX*1))
finish7:
	FINISH(24, Z12, Z13, 0(R9), 64(R9))
finish6:
	FINISH(20, Z10, Z11, 0(R8)(DX*2), 64(R8)(DX*2))
finish5:
	FINISH(16, Z8, Z9, 0(R8)(DX*1), 64(R8)(DX*1))
finish4:
	FINISH(12, Z6, Z7, 0(R8), 64(R8))
finish3:
	FINISH(8, Z4, Z5, 0(SI)(DX*2), 64(SI)(DX*2))
finish2:
	FINISH(4, Z2, Z3, 0(SI)(DX*1), 64(SI)(DX*1))
finish1:
	FINISH(0, Z0, Z1, 0(SI), 64(SI))
	VZEROUPPER
	RET
