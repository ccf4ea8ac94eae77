#include "textflag.h"
#include "numbers_amd64.h"

// Tiles have up to 6 rows and 16 columns: 12 registers for sums, two for the
// columns of a step and two for broadcast row values.
//
// Row r of a is at SI or R8 (rows 0 and 3) plus 0, 1 or 2 times DX, the row
// stride in bytes.

#define FROW0(off) VBROADCASTSS off(SI), Y14; VFMADD231PS Y12, Y14, Y0; VFMADD231PS Y13, Y14, Y1
#define FROW1(off) VBROADCASTSS off(SI)(DX*1), Y15; VFMADD231PS Y12, Y15, Y2; VFMADD231PS Y13, Y15, Y3
#define FROW2(off) VBROADCASTSS off(SI)(DX*2), Y14; VFMADD231PS Y12, Y14, Y4; VFMADD231PS Y13, Y14, Y5
#define FROW3(off) VBROADCASTSS off(R8), Y15; VFMADD231PS Y12, Y15, Y6; VFMADD231PS Y13, Y15, Y7
#define FROW4(off) VBROADCASTSS off(R8)(DX*1), Y14; VFMADD231PS Y12, Y14, Y8; VFMADD231PS Y13, Y14, Y9
#define FROW5(off) VBROADCASTSS off(R8)(DX*2), Y15; VFMADD231PS Y12, Y15, Y10; VFMADD231PS Y13, Y15, Y11

#define FTILE1(off) FROW0(off)
#define FTILE2(off) FTILE1(off); FROW1(off)
#define FTILE3(off) FTILE2(off); FROW2(off)
#define FTILE4(off) FTILE3(off); FROW3(off)
#define FTILE5(off) FTILE4(off); FROW4(off)
#define FTILE6(off) FTILE5(off); FROW5(off)

// FSTEP adds the products of one input at offset at in the panel and off in the
// rows.
#define FSTEP(TILE, at, off) \
	VMOVUPS at(DI), Y12    \
	VMOVUPS at+32(DI), Y13 \
	TILE(off)

// FLOOP processes four inputs in each of CX iterations and then BX more. Each
// iteration prefetches one cache line for the next product.
#define FLOOP(TILE, FOUR, ONE, REST, END) \
	TESTQ CX, CX \
	JZ    REST   \
FOUR: \
	PREFETCHT1 (R12)    \
	ADDQ $64, R12       \
	FSTEP(TILE, 0, 0)   \
	FSTEP(TILE, 64, 4)  \
	FSTEP(TILE, 128, 8) \
	FSTEP(TILE, 192, 12) \
	ADDQ $16, SI  \
	ADDQ $16, R8  \
	ADDQ $256, DI \
	DECQ CX       \
	JNZ  FOUR     \
REST: \
	TESTQ BX, BX \
	JZ    END    \
ONE: \
	FSTEP(TILE, 0, 0) \
	ADDQ $4, SI  \
	ADDQ $4, R8  \
	ADDQ $64, DI \
	DECQ BX      \
	JNZ  ONE     \
	JMP  END

// FINISH writes a row: sum*scale + bias. Without scales, R12 points to a 1.
#define FINISH(lo, hi, to, next) \
	VBROADCASTSS (R12), Y14   \
	VFMADD213PS Y12, Y14, lo  \
	VFMADD213PS Y13, Y14, hi  \
	VMOVUPS     lo, to        \
	VMOVUPS     hi, next      \
	SUBQ        R13, R12

// func gemm256(rows, k int, a []float32, lda int, b, c []float32, ldc int, scale, bias, ahead []float32)
TEXT ·gemm256(SB), NOSPLIT, $0-176
	MOVQ rows+0(FP), AX
	MOVQ k+8(FP), CX
	MOVQ a_base+16(FP), SI
	MOVQ lda+40(FP), DX
	MOVQ b_base+48(FP), DI
	MOVQ ahead_base+152(FP), R12
	SHLQ $2, DX
	LEAQ (DX)(DX*2), R8
	ADDQ SI, R8
	MOVQ CX, BX
	ANDQ $3, BX
	SHRQ $2, CX
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	VXORPS Y6, Y6, Y6
	VXORPS Y7, Y7, Y7
	VXORPS Y8, Y8, Y8
	VXORPS Y9, Y9, Y9
	VXORPS Y10, Y10, Y10
	VXORPS Y11, Y11, Y11
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
	LEAQ (DX)(DX*2), R8
	ADDQ SI, R8
	MOVQ scale_base+104(FP), R12
	MOVQ bias_base+128(FP), R14
	XORQ R13, R13
	VXORPS Y12, Y12, Y12
	VXORPS Y13, Y13, Y13
	TESTQ R14, R14
	JZ    unbiased
	VMOVUPS (R14), Y12
	VMOVUPS 32(R14), Y13
unbiased:
	TESTQ R12, R12
	JZ    unscaled
	MOVQ $4, R13
	LEAQ -4(R12)(AX*4), R12
	JMP  finish
unscaled:
	LEAQ ONE, R12
finish:
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

finish6:
	FINISH(Y10, Y11, 0(R8)(DX*2), 32(R8)(DX*2))
finish5:
	FINISH(Y8, Y9, 0(R8)(DX*1), 32(R8)(DX*1))
finish4:
	FINISH(Y6, Y7, 0(R8), 32(R8))
finish3:
	FINISH(Y4, Y5, 0(SI)(DX*2), 32(SI)(DX*2))
finish2:
	FINISH(Y2, Y3, 0(SI)(DX*1), 32(SI)(DX*1))
finish1:
	FINISH(Y0, Y1, 0(SI), 32(SI))
	VZEROUPPER
	RET
