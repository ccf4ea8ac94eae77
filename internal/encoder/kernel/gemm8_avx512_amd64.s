#include "textflag.h"

// A step processes four inputs. VPDPBUSD adds the products of four unsigned and four
// signed bytes to each of 16 sums, so 128 is added to the activations. The
// accumulators start at -128 times the column sums to compensate.
#define LOAD VMOVDQU32
#define BROADCAST VPBROADCASTD
#define MULTIPLY VPDPBUSD
#define AHEAD
#include "tile_avx512_amd64.h"

#define COPY(lo, hi) VMOVDQA32 Z0, lo; VMOVDQA32 Z1, hi

// FINISH writes a row: (sum*column + step*total)*scale + bias.
#define FINISH(r, lo, hi, to, next) \
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
	POINTERS
	SHRQ $2, CX
	MOVQ CX, BX
	ANDQ $3, BX
	SHRQ $2, CX
	MOVQ sums_base+176(FP), R12
	VMOVDQU32 (R12), Z0
	VMOVDQU32 64(R12), Z1
	OTHER_ROWS(COPY)
	TILES
done:
	MOVQ c_base+72(FP), SI
	MOVQ ldc+96(FP), DX
	SHLQ $2, DX
	POINTERS
	MOVQ scale_base+104(FP), R12
	MOVQ columns_base+128(FP), R13
	MOVQ bias_base+152(FP), R14
	MOVQ steps_base+200(FP), BX
	MOVQ totals_base+224(FP), CX
	VMOVUPS (R13), Z28
	VMOVUPS 64(R13), Z29
	FINISH_ROWS
	VZEROUPPER
	RET
