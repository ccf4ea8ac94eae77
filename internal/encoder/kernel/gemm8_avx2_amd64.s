#include "textflag.h"
#include "tile_avx2_amd64.h"
#include "tile8_avx2_amd64.h"

// The int8 tiles have the layout of the float32 tiles but process two inputs per
// step. Weights are extended to 16 bits when loaded, and VPMADDWD adds the
// products of two adjacent 16-bit values exactly in 32 bits. VPMADDUBSW takes
// bytes but saturates the sum of two products to 16 bits.

#define ROW0(off) VPBROADCASTD off(SI), Y14; VPMADDWD Y12, Y14, Y15; VPADDD Y15, Y0, Y0; VPMADDWD Y13, Y14, Y14; VPADDD Y14, Y1, Y1
#define ROW1(off) VPBROADCASTD off(SI)(DX*1), Y14; VPMADDWD Y12, Y14, Y15; VPADDD Y15, Y2, Y2; VPMADDWD Y13, Y14, Y14; VPADDD Y14, Y3, Y3
#define ROW2(off) VPBROADCASTD off(SI)(DX*2), Y14; VPMADDWD Y12, Y14, Y15; VPADDD Y15, Y4, Y4; VPMADDWD Y13, Y14, Y14; VPADDD Y14, Y5, Y5
#define ROW3(off) VPBROADCASTD off(R8), Y14; VPMADDWD Y12, Y14, Y15; VPADDD Y15, Y6, Y6; VPMADDWD Y13, Y14, Y14; VPADDD Y14, Y7, Y7
#define ROW4(off) VPBROADCASTD off(R8)(DX*1), Y14; VPMADDWD Y12, Y14, Y15; VPADDD Y15, Y8, Y8; VPMADDWD Y13, Y14, Y14; VPADDD Y14, Y9, Y9
#define ROW5(off) VPBROADCASTD off(R8)(DX*2), Y14; VPMADDWD Y12, Y14, Y15; VPADDD Y15, Y10, Y10; VPMADDWD Y13, Y14, Y14; VPADDD Y14, Y11, Y11

#define LOAD VPMOVSXBW
#define HALF 16

// func gemm8x256(rows, k int, a []byte, lda int, b []int8, c []float32, ldc int, scale, columns, bias []float32, sums []int32, steps, totals []float32)
TEXT ·gemm8x256(SB), NOSPLIT, $0-248
	READ8
	SHRQ $2, CX
	CLEAR
	TILES
done:
	WRITE8
	VZEROUPPER
	RET
