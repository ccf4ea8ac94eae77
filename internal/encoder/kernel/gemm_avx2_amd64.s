#include "textflag.h"
#include "numbers_amd64.h"
#include "tile_avx2_amd64.h"

#define ROW0(off) VBROADCASTSS off(SI), Y14; VFMADD231PS Y12, Y14, Y0; VFMADD231PS Y13, Y14, Y1
#define ROW1(off) VBROADCASTSS off(SI)(DX*1), Y15; VFMADD231PS Y12, Y15, Y2; VFMADD231PS Y13, Y15, Y3
#define ROW2(off) VBROADCASTSS off(SI)(DX*2), Y14; VFMADD231PS Y12, Y14, Y4; VFMADD231PS Y13, Y14, Y5
#define ROW3(off) VBROADCASTSS off(R8), Y15; VFMADD231PS Y12, Y15, Y6; VFMADD231PS Y13, Y15, Y7
#define ROW4(off) VBROADCASTSS off(R8)(DX*1), Y14; VFMADD231PS Y12, Y14, Y8; VFMADD231PS Y13, Y14, Y9
#define ROW5(off) VBROADCASTSS off(R8)(DX*2), Y15; VFMADD231PS Y12, Y15, Y10; VFMADD231PS Y13, Y15, Y11

// STEP adds the products of one input at offset at in the panel and off in the
// rows.
#define STEP(TILE, at, off) \
	VMOVUPS at(DI), Y12    \
	VMOVUPS at+32(DI), Y13 \
	TILE(off)

// LOOP processes four inputs in each of CX iterations and then BX more. Each
// iteration prefetches one cache line for the next product.
#define LOOP(TILE, FOUR, ONE, REST) \
	TESTQ CX, CX \
	JZ    REST   \
FOUR: \
	PREFETCHT1 (R12)    \
	ADDQ $64, R12       \
	STEP(TILE, 0, 0)    \
	STEP(TILE, 64, 4)   \
	STEP(TILE, 128, 8)  \
	STEP(TILE, 192, 12) \
	ADDQ $16, SI  \
	ADDQ $16, R8  \
	ADDQ $256, DI \
	DECQ CX       \
	JNZ  FOUR     \
REST: \
	TESTQ BX, BX \
	JZ    done   \
ONE: \
	STEP(TILE, 0, 0) \
	ADDQ $4, SI  \
	ADDQ $4, R8  \
	ADDQ $64, DI \
	DECQ BX      \
	JNZ  ONE     \
	JMP  done

// FINISH writes a row: sum*scale + bias.
#define FINISH(r, lo, hi, to, next) \
	VBROADCASTSS r(R12), Y14  \
	VFMADD213PS Y12, Y14, lo  \
	VFMADD213PS Y13, Y14, hi  \
	VMOVUPS     lo, to        \
	VMOVUPS     hi, next

// func gemm256(rows, k int, a []float32, lda int, b, c []float32, ldc int, scale, bias, ahead []float32)
TEXT ·gemm256(SB), NOSPLIT, $0-176
	MOVQ rows+0(FP), AX
	MOVQ k+8(FP), CX
	MOVQ a_base+16(FP), SI
	MOVQ lda+40(FP), DX
	MOVQ b_base+48(FP), DI
	MOVQ ahead_base+152(FP), R12
	SHLQ $2, DX
	POINTERS
	MOVQ CX, BX
	ANDQ $3, BX
	SHRQ $2, CX
	CLEAR
	TILES
done:
	MOVQ c_base+72(FP), SI
	MOVQ ldc+96(FP), DX
	SHLQ $2, DX
	POINTERS
	MOVQ  scale_base+104(FP), R12
	MOVQ  bias_base+128(FP), R14
	LEAQ  ONES, R13
	TESTQ R12, R12
	CMOVQEQ R13, R12
	VXORPS Y12, Y12, Y12
	VXORPS Y13, Y13, Y13
	TESTQ R14, R14
	JZ    finish
	VMOVUPS (R14), Y12
	VMOVUPS 32(R14), Y13
finish:
	FINISH_ROWS
	VZEROUPPER
	RET
