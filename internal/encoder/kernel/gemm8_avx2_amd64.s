#include "textflag.h"

// The int8 tiles have the layout of the float32 tiles but process two inputs per
// step. Weights are extended to 16 bits when loaded, and VPMADDWD adds the
// products of two adjacent 16-bit values exactly in 32 bits. VPMADDUBSW takes
// bytes but saturates the sum of two products to 16 bits.

#define IROW0(off) VPBROADCASTD off(SI), Y14; VPMADDWD Y12, Y14, Y15; VPADDD Y15, Y0, Y0; VPMADDWD Y13, Y14, Y14; VPADDD Y14, Y1, Y1
#define IROW1(off) VPBROADCASTD off(SI)(DX*1), Y14; VPMADDWD Y12, Y14, Y15; VPADDD Y15, Y2, Y2; VPMADDWD Y13, Y14, Y14; VPADDD Y14, Y3, Y3
#define IROW2(off) VPBROADCASTD off(SI)(DX*2), Y14; VPMADDWD Y12, Y14, Y15; VPADDD Y15, Y4, Y4; VPMADDWD Y13, Y14, Y14; VPADDD Y14, Y5, Y5
#define IROW3(off) VPBROADCASTD off(R8), Y14; VPMADDWD Y12, Y14, Y15; VPADDD Y15, Y6, Y6; VPMADDWD Y13, Y14, Y14; VPADDD Y14, Y7, Y7
#define IROW4(off) VPBROADCASTD off(R8)(DX*1), Y14; VPMADDWD Y12, Y14, Y15; VPADDD Y15, Y8, Y8; VPMADDWD Y13, Y14, Y14; VPADDD Y14, Y9, Y9
#define IROW5(off) VPBROADCASTD off(R8)(DX*2), Y14; VPMADDWD Y12, Y14, Y15; VPADDD Y15, Y10, Y10; VPMADDWD Y13, Y14, Y14; VPADDD Y14, Y11, Y11

#define ITILE1(off) IROW0(off)
#define ITILE2(off) ITILE1(off); IROW1(off)
#define ITILE3(off) ITILE2(off); IROW2(off)
#define ITILE4(off) ITILE3(off); IROW3(off)
#define ITILE5(off) ITILE4(off); IROW4(off)
#define ITILE6(off) ITILE5(off); IROW5(off)

#define ISTEP(TILE, at, off) \
	VPMOVSXBW at(DI), Y12    \
	VPMOVSXBW at+16(DI), Y13 \
	TILE(off)

// ILOOP processes four inputs in each of CX iterations.
#define ILOOP(TILE, FOUR, END) \
FOUR: \
	ISTEP(TILE, 0, 0)  \
	ISTEP(TILE, 32, 4) \
	ADDQ $8, SI  \
	ADDQ $8, R8  \
	ADDQ $64, DI \
	DECQ CX      \
	JNZ  FOUR    \
	JMP  END

// IFINISH writes a row: (sum*column + step*total)*scale + bias.
#define IFINISH(r, lo, hi, to, next) \
	VBROADCASTSS r(R12), Y14     \
	VBROADCASTSS r(BX), Y15      \
	VCVTDQ2PS   lo, lo           \
	VCVTDQ2PS   hi, hi           \
	VMULPS      Y12, lo, lo      \
	VMULPS      Y13, hi, hi      \
	VFMADD231PS (CX), Y15, lo    \
	VFMADD231PS 32(CX), Y15, hi  \
	VFMADD213PS (R14), Y14, lo   \
	VFMADD213PS 32(R14), Y14, hi \
	VMOVUPS     lo, to           \
	VMOVUPS     hi, next

// func gemm8x256(rows, k int, a []byte, lda int, b []int8, c []float32, ldc int, scale, columns, bias []float32, sums []int32, steps, totals []float32)
TEXT ·gemm8x256(SB), NOSPLIT, $0-248
	MOVQ rows+0(FP), AX
	MOVQ k+8(FP), CX
	MOVQ a_base+16(FP), SI
	MOVQ lda+40(FP), DX
	MOVQ b_base+48(FP), DI
	LEAQ (DX)(DX*2), R8
	ADDQ SI, R8
	SHRQ $2, CX
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3
	VPXOR Y4, Y4, Y4
	VPXOR Y5, Y5, Y5
	VPXOR Y6, Y6, Y6
	VPXOR Y7, Y7, Y7
	VPXOR Y8, Y8, Y8
	VPXOR Y9, Y9, Y9
	VPXOR Y10, Y10, Y10
	VPXOR Y11, Y11, Y11
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
	ILOOP(ITILE6, four6, done)
rows5:
	ILOOP(ITILE5, four5, done)
rows4:
	ILOOP(ITILE4, four4, done)
rows3:
	ILOOP(ITILE3, four3, done)
rows2:
	ILOOP(ITILE2, four2, done)
rows1:
	ILOOP(ITILE1, four1, done)

done:
	MOVQ c_base+72(FP), SI
	MOVQ ldc+96(FP), DX
	SHLQ $2, DX
	LEAQ (DX)(DX*2), R8
	ADDQ SI, R8
	MOVQ scale_base+104(FP), R12
	MOVQ columns_base+128(FP), R13
	MOVQ bias_base+152(FP), R14
	MOVQ steps_base+200(FP), BX
	MOVQ totals_base+224(FP), CX
	VMOVUPS (R13), Y12
	VMOVUPS 32(R13), Y13
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
	IFINISH(20, Y10, Y11, 0(R8)(DX*2), 32(R8)(DX*2))
finish5:
	IFINISH(16, Y8, Y9, 0(R8)(DX*1), 32(R8)(DX*1))
finish4:
	IFINISH(12, Y6, Y7, 0(R8), 32(R8))
finish3:
	IFINISH(8, Y4, Y5, 0(SI)(DX*2), 32(SI)(DX*2))
finish2:
	IFINISH(4, Y2, Y3, 0(SI)(DX*1), 32(SI)(DX*1))
finish1:
	IFINISH(0, Y0, Y1, 0(SI), 32(SI))
	VZEROUPPER
	RET
