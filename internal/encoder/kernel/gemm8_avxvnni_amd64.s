#include "textflag.h"
#include "tile_avx2_amd64.h"
#include "tile8_avx2_amd64.h"

// The tiles are those of AVX2, with four inputs per step. VPDPBUSD adds the products of
// four unsigned and four signed bytes to each of 8 sums, so 128 is added to the
// activations. The accumulators start at -128 times the column sums to compensate.
//
// The assembler has only the form of AVX-512, which these processors lack, so that of
// AVX-VNNI is encoded as bytes: VPDPBUSD Y12, Y14, Y(n) is DOT(0xc2, 0xc4+8*n) for n < 8,
// and DOT(0x42, 0xc4+8*(n-8)) from 8 on; with Y13 the second byte is one more.
#define DOT(prefix, registers) BYTE $0xc4; BYTE $prefix; BYTE $0x0d; BYTE $0x50; BYTE $registers

#define ROW0(off) VPBROADCASTD off(SI), Y14; DOT(0xc2, 0xc4); DOT(0xc2, 0xcd)
#define ROW1(off) VPBROADCASTD off(SI)(DX*1), Y14; DOT(0xc2, 0xd4); DOT(0xc2, 0xdd)
#define ROW2(off) VPBROADCASTD off(SI)(DX*2), Y14; DOT(0xc2, 0xe4); DOT(0xc2, 0xed)
#define ROW3(off) VPBROADCASTD off(R8), Y14; DOT(0xc2, 0xf4); DOT(0xc2, 0xfd)
#define ROW4(off) VPBROADCASTD off(R8)(DX*1), Y14; DOT(0x42, 0xc4); DOT(0x42, 0xcd)
#define ROW5(off) VPBROADCASTD off(R8)(DX*2), Y14; DOT(0x42, 0xd4); DOT(0x42, 0xdd)

#define LOAD VMOVDQU
#define HALF 32

#define COPY(lo, hi) VMOVDQA Y0, lo; VMOVDQA Y1, hi

// func gemm8VNNI256(rows, k int, a []byte, lda int, b []int8, c []float32, ldc int, scale, columns, bias []float32, sums []int32, steps, totals []float32)
TEXT ·gemm8VNNI256(SB), NOSPLIT, $0-248
	READ8
	SHRQ $3, CX
	MOVQ sums_base+176(FP), R12
	VMOVDQU (R12), Y0
	VMOVDQU 32(R12), Y1
	COPY(Y2, Y3)
	COPY(Y4, Y5)
	COPY(Y6, Y7)
	COPY(Y8, Y9)
	COPY(Y10, Y11)
	TILES
done:
	WRITE8
	VZEROUPPER
	RET
