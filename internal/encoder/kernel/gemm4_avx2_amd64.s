#include "textflag.h"
#include "tile_avx2_amd64.h"
#include "tile8_avx2_amd64.h"

// The tiles are those of int8, with four inputs per step. VPMADDUBSW adds the products of two
// unsigned and two signed bytes in 16 bits, which suffice for the 16 products of a block with
// integers from -8 to 7: 16*255*8 < 2^15. The sums of a block are multiplied with its steps and
// added to those in 32 bits, on the stack. 128 is added to the activations, so the latter start at
// -128 times the column sums to compensate.

#define ROW0(off) VPBROADCASTD off(SI), Y14; VPMADDUBSW Y12, Y14, Y15; VPADDW Y15, Y0, Y0; VPMADDUBSW Y13, Y14, Y14; VPADDW Y14, Y1, Y1
#define ROW1(off) VPBROADCASTD off(SI)(DX*1), Y14; VPMADDUBSW Y12, Y14, Y15; VPADDW Y15, Y2, Y2; VPMADDUBSW Y13, Y14, Y14; VPADDW Y14, Y3, Y3
#define ROW2(off) VPBROADCASTD off(SI)(DX*2), Y14; VPMADDUBSW Y12, Y14, Y15; VPADDW Y15, Y4, Y4; VPMADDUBSW Y13, Y14, Y14; VPADDW Y14, Y5, Y5
#define ROW3(off) VPBROADCASTD off(R8), Y14; VPMADDUBSW Y12, Y14, Y15; VPADDW Y15, Y6, Y6; VPMADDUBSW Y13, Y14, Y14; VPADDW Y14, Y7, Y7
#define ROW4(off) VPBROADCASTD off(R8)(DX*1), Y14; VPMADDUBSW Y12, Y14, Y15; VPADDW Y15, Y8, Y8; VPMADDUBSW Y13, Y14, Y14; VPADDW Y14, Y9, Y9
#define ROW5(off) VPBROADCASTD off(R8)(DX*2), Y14; VPMADDUBSW Y12, Y14, Y15; VPADDW Y15, Y10, Y10; VPMADDUBSW Y13, Y14, Y14; VPADDW Y14, Y11, Y11

#define STEP(n, TILE) VMOVDQU (64*n)(DI), Y12; VMOVDQU (64*n+32)(DI), Y13; TILE(4*n)

// FOLD adds the sums of a row of a block to those at off(SP).
#define FOLD(off, lo, hi) \
	VPMADDWD Y12, lo, lo           \
	VPMADDWD Y13, hi, hi           \
	VPADDD   off(SP), lo, lo       \
	VPADDD   (off+32)(SP), hi, hi  \
	VMOVDQU  lo, off(SP)           \
	VMOVDQU  hi, (off+32)(SP)

#define FOLD1 FOLD(0, Y0, Y1)
#define FOLD2 FOLD1; FOLD(64, Y2, Y3)
#define FOLD3 FOLD2; FOLD(128, Y4, Y5)
#define FOLD4 FOLD3; FOLD(192, Y6, Y7)
#define FOLD5 FOLD4; FOLD(256, Y8, Y9)
#define FOLD6 FOLD5; FOLD(320, Y10, Y11)

// BLOCKS processes CX blocks.
#define BLOCKS(label, TILE, FOLDS) \
label: \
	CLEAR             \
	STEP(0, TILE)     \
	STEP(1, TILE)     \
	STEP(2, TILE)     \
	STEP(3, TILE)     \
	STEP(4, TILE)     \
	STEP(5, TILE)     \
	STEP(6, TILE)     \
	STEP(7, TILE)     \
	VMOVDQU 512(DI), Y12 \
	VMOVDQU 544(DI), Y13 \
	FOLDS             \
	ADDQ $32, SI      \
	ADDQ $32, R8      \
	ADDQ $576, DI     \
	DECQ CX           \
	JNZ  label        \
	JMP  done

#define START(off) VMOVDQU Y0, off(SP); VMOVDQU Y1, (off+32)(SP)
#define SUMS(off, lo, hi) VMOVDQU off(SP), lo; VMOVDQU (off+32)(SP), hi

// func gemm4x256(rows, k int, a []byte, lda int, b []int8, c []float32, ldc int, scale, columns, bias []float32, sums []int32, steps, totals []float32)
TEXT ·gemm4x256(SB), NOSPLIT, $384-248
	READ8
	SHRQ $5, CX
	MOVQ sums_base+176(FP), R12
	VMOVDQU (R12), Y0
	VMOVDQU 32(R12), Y1
	START(0)
	START(64)
	START(128)
	START(192)
	START(256)
	START(320)
	SWITCH(blocks6, blocks5, blocks4, blocks3, blocks2, blocks1)
	BLOCKS(blocks6, TILE6, FOLD6)
	BLOCKS(blocks5, TILE5, FOLD5)
	BLOCKS(blocks4, TILE4, FOLD4)
	BLOCKS(blocks3, TILE3, FOLD3)
	BLOCKS(blocks2, TILE2, FOLD2)
	BLOCKS(blocks1, TILE1, FOLD1)
done:
	SUMS(0, Y0, Y1)
	SUMS(64, Y2, Y3)
	SUMS(128, Y4, Y5)
	SUMS(192, Y6, Y7)
	SUMS(256, Y8, Y9)
	SUMS(320, Y10, Y11)
	WRITE8
	VZEROUPPER
	RET
