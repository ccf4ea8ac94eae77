// This header has what the float32 and the int8 products of AVX2 share. Tiles have
// up to 6 rows and 16 columns: 12 registers for sums, two for the columns of a
// step and two for other values.
//
// Row r of a is at SI or R8 (rows 0 and 3) plus 0, 1 or 2 times DX, the row stride
// in bytes.
//
// The including file defines ROW0 to ROW5, which add the products of a row, LOOP,
// which takes the steps of a tile, and FINISH, which writes a row.

#define TILE1(off) ROW0(off)
#define TILE2(off) TILE1(off); ROW1(off)
#define TILE3(off) TILE2(off); ROW2(off)
#define TILE4(off) TILE3(off); ROW3(off)
#define TILE5(off) TILE4(off); ROW4(off)
#define TILE6(off) TILE5(off); ROW5(off)

// POINTERS sets the row pointer for SI and DX.
#define POINTERS \
	LEAQ (DX)(DX*2), R8 \
	ADDQ SI, R8

// CLEAR sets all sums to 0.
#define CLEAR \
	VPXOR Y0, Y0, Y0 \
	VPXOR Y1, Y1, Y1 \
	VPXOR Y2, Y2, Y2 \
	VPXOR Y3, Y3, Y3 \
	VPXOR Y4, Y4, Y4 \
	VPXOR Y5, Y5, Y5 \
	VPXOR Y6, Y6, Y6 \
	VPXOR Y7, Y7, Y7 \
	VPXOR Y8, Y8, Y8 \
	VPXOR Y9, Y9, Y9 \
	VPXOR Y10, Y10, Y10 \
	VPXOR Y11, Y11, Y11

// SWITCH jumps to the label for AX rows.
#define SWITCH(l6, l5, l4, l3, l2, l1) \
	CMPQ AX, $6 \
	JEQ  l6    \
	CMPQ AX, $5 \
	JEQ  l5    \
	CMPQ AX, $4 \
	JEQ  l4    \
	CMPQ AX, $3 \
	JEQ  l3    \
	CMPQ AX, $2 \
	JEQ  l2    \
	JMP  l1

// TILES computes the sums of AX rows and continues at done.
#define TILES \
	SWITCH(rows6, rows5, rows4, rows3, rows2, rows1) \
rows6: \
	LOOP(TILE6, four6, one6, rest6) \
rows5: \
	LOOP(TILE5, four5, one5, rest5) \
rows4: \
	LOOP(TILE4, four4, one4, rest4) \
rows3: \
	LOOP(TILE3, four3, one3, rest3) \
rows2: \
	LOOP(TILE2, four2, one2, rest2) \
rows1: \
	LOOP(TILE1, four1, one1, rest1)

// FINISH_ROWS writes AX rows, from last to first.
#define FINISH_ROWS \
	SWITCH(finish6, finish5, finish4, finish3, finish2, finish1) \
finish6: \
	FINISH(20, Y10, Y11, 0(R8)(DX*2), 32(R8)(DX*2)) \
finish5: \
	FINISH(16, Y8, Y9, 0(R8)(DX*1), 32(R8)(DX*1)) \
finish4: \
	FINISH(12, Y6, Y7, 0(R8), 32(R8)) \
finish3: \
	FINISH(8, Y4, Y5, 0(SI)(DX*2), 32(SI)(DX*2)) \
finish2: \
	FINISH(4, Y2, Y3, 0(SI)(DX*1), 32(SI)(DX*1)) \
finish1: \
	FINISH(0, Y0, Y1, 0(SI), 32(SI))
