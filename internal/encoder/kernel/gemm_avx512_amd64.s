#include "textflag.h"
#include "numbers_amd64.h"

// Each step has 28 multiplications for 16 loads, so the loops are bound by the
// multipliers. Each iteration prefetches one cache line for the next product.
#define LOAD VMOVUPS
#define BROADCAST VBROADCASTSS
#define MULTIPLY VFMADD231PS
#define AHEAD PREFETCHT1 (R12); ADDQ $64, R12
#include "tile_avx512_amd64.h"

#define CLEAR(lo, hi) VPXORD lo, lo, lo; VPXORD hi, hi, hi

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
	POINTERS
	MOVQ CX, BX
	ANDQ $3, BX
	SHRQ $2, CX
	CLEAR(Z0, Z1)
	OTHER_ROWS(CLEAR)
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
	VPXORD Z28, Z28, Z28
	VPXORD Z29, Z29, Z29
	TESTQ R14, R14
	JZ    finish
	VMOVUPS (R14), Z28
	VMOVUPS 64(R14), Z29
finish:
	FINISH_ROWS
	VZEROUPPER
	RET
