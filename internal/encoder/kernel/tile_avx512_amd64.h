// This header has what the float32 and the int8 products of AVX-512 share. Tiles have
// up to 14 rows and 32 columns: 28 registers for sums, two for the columns of a
// step and two for broadcast row values.
//
// Row r of a is at SI, R8, R9, R10 or R11 (rows 0, 3, 6, 9 and 12) plus 0, 1 or 2
// times DX, the row stride in bytes.
//
// The including file defines the instructions LOAD, BROADCAST and MULTIPLY, the
// first instructions of an iteration, AHEAD, and FINISH, which writes a row.

#define ROW0(off) BROADCAST off(SI), Z30; MULTIPLY Z28, Z30, Z0; MULTIPLY Z29, Z30, Z1
#define ROW1(off) BROADCAST off(SI)(DX*1), Z31; MULTIPLY Z28, Z31, Z2; MULTIPLY Z29, Z31, Z3
#define ROW2(off) BROADCAST off(SI)(DX*2), Z30; MULTIPLY Z28, Z30, Z4; MULTIPLY Z29, Z30, Z5
#define ROW3(off) BROADCAST off(R8), Z31; MULTIPLY Z28, Z31, Z6; MULTIPLY Z29, Z31, Z7
#define ROW4(off) BROADCAST off(R8)(DX*1), Z30; MULTIPLY Z28, Z30, Z8; MULTIPLY Z29, Z30, Z9
#define ROW5(off) BROADCAST off(R8)(DX*2), Z31; MULTIPLY Z28, Z31, Z10; MULTIPLY Z29, Z31, Z11
#define ROW6(off) BROADCAST off(R9), Z30; MULTIPLY Z28, Z30, Z12; MULTIPLY Z29, Z30, Z13
#define ROW7(off) BROADCAST off(R9)(DX*1), Z31; MULTIPLY Z28, Z31, Z14; MULTIPLY Z29, Z31, Z15
#define ROW8(off) BROADCAST off(R9)(DX*2), Z30; MULTIPLY Z28, Z30, Z16; MULTIPLY Z29, Z30, Z17
#define ROW9(off) BROADCAST off(R10), Z31; MULTIPLY Z28, Z31, Z18; MULTIPLY Z29, Z31, Z19
#define ROW10(off) BROADCAST off(R10)(DX*1), Z30; MULTIPLY Z28, Z30, Z20; MULTIPLY Z29, Z30, Z21
#define ROW11(off) BROADCAST off(R10)(DX*2), Z31; MULTIPLY Z28, Z31, Z22; MULTIPLY Z29, Z31, Z23
#define ROW12(off) BROADCAST off(R11), Z30; MULTIPLY Z28, Z30, Z24; MULTIPLY Z29, Z30, Z25
#define ROW13(off) BROADCAST off(R11)(DX*1), Z31; MULTIPLY Z28, Z31, Z26; MULTIPLY Z29, Z31, Z27

#define TILE1(off) ROW0(off)
#define TILE2(off) TILE1(off); ROW1(off)
#define TILE3(off) TILE2(off); ROW2(off)
#define TILE4(off) TILE3(off); ROW3(off)
#define TILE5(off) TILE4(off); ROW4(off)
#define TILE6(off) TILE5(off); ROW5(off)
#define TILE7(off) TILE6(off); ROW6(off)
#define TILE8(off) TILE7(off); ROW7(off)
#define TILE9(off) TILE8(off); ROW8(off)
#define TILE10(off) TILE9(off); ROW9(off)
#define TILE11(off) TILE10(off); ROW10(off)
#define TILE12(off) TILE11(off); ROW11(off)
#define TILE13(off) TILE12(off); ROW12(off)
#define TILE14(off) TILE13(off); ROW13(off)

// OTHER_ROWS applies OP to the sums of all rows but the first.
#define OTHER_ROWS(OP) \
	OP(Z2, Z3) \
	OP(Z4, Z5) \
	OP(Z6, Z7) \
	OP(Z8, Z9) \
	OP(Z10, Z11) \
	OP(Z12, Z13) \
	OP(Z14, Z15) \
	OP(Z16, Z17) \
	OP(Z18, Z19) \
	OP(Z20, Z21) \
	OP(Z22, Z23) \
	OP(Z24, Z25) \
	OP(Z26, Z27)

// STEP adds the products of one input, or four of int8, at offset at in the panel
// and off in the rows.
#define STEP(TILE, at, off) \
	LOAD at(DI), Z28    \
	LOAD at+64(DI), Z29 \
	TILE(off)

// LOOP takes four steps in each of CX iterations and then BX more.
#define LOOP(TILE, FOUR, ONE, REST) \
	TESTQ CX, CX \
	JZ    REST   \
FOUR: \
	AHEAD               \
	STEP(TILE, 0, 0)    \
	STEP(TILE, 128, 4)  \
	STEP(TILE, 256, 8)  \
	STEP(TILE, 384, 12) \
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
	JZ    done   \
ONE: \
	STEP(TILE, 0, 0) \
	ADDQ $4, SI   \
	ADDQ $4, R8   \
	ADDQ $4, R9   \
	ADDQ $4, R10  \
	ADDQ $4, R11  \
	ADDQ $128, DI \
	DECQ BX       \
	JNZ  ONE      \
	JMP  done

// POINTERS sets the row pointers for SI and DX.
#define POINTERS \
	LEAQ (DX)(DX*2), R13   \
	LEAQ (SI)(R13*1), R8   \
	LEAQ (R8)(R13*1), R9   \
	LEAQ (R9)(R13*1), R10  \
	LEAQ (R10)(R13*1), R11

// SWITCH jumps to the label for AX rows.
#define SWITCH(l14, l13, l12, l11, l10, l9, l8, l7, l6, l5, l4, l3, l2, l1) \
	CMPQ AX, $14 \
	JEQ  l14    \
	CMPQ AX, $13 \
	JEQ  l13    \
	CMPQ AX, $12 \
	JEQ  l12    \
	CMPQ AX, $11 \
	JEQ  l11    \
	CMPQ AX, $10 \
	JEQ  l10    \
	CMPQ AX, $9 \
	JEQ  l9    \
	CMPQ AX, $8 \
	JEQ  l8    \
	CMPQ AX, $7 \
	JEQ  l7    \
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
	SWITCH(rows14, rows13, rows12, rows11, rows10, rows9, rows8, rows7, rows6, rows5, rows4, rows3, rows2, rows1) \
rows14: \
	LOOP(TILE14, four14, one14, rest14) \
rows13: \
	LOOP(TILE13, four13, one13, rest13) \
rows12: \
	LOOP(TILE12, four12, one12, rest12) \
rows11: \
	LOOP(TILE11, four11, one11, rest11) \
rows10: \
	LOOP(TILE10, four10, one10, rest10) \
rows9: \
	LOOP(TILE9, four9, one9, rest9) \
rows8: \
	LOOP(TILE8, four8, one8, rest8) \
rows7: \
	LOOP(TILE7, four7, one7, rest7) \
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
	SWITCH(finish14, finish13, finish12, finish11, finish10, finish9, finish8, finish7, finish6, finish5, finish4, finish3, finish2, finish1) \
finish14: \
	FINISH(52, Z26, Z27, 0(R11)(DX*1), 64(R11)(DX*1)) \
finish13: \
	FINISH(48, Z24, Z25, 0(R11), 64(R11)) \
finish12: \
	FINISH(44, Z22, Z23, 0(R10)(DX*2), 64(R10)(DX*2)) \
finish11: \
	FINISH(40, Z20, Z21, 0(R10)(DX*1), 64(R10)(DX*1)) \
finish10: \
	FINISH(36, Z18, Z19, 0(R10), 64(R10)) \
finish9: \
	FINISH(32, Z16, Z17, 0(R9)(DX*2), 64(R9)(DX*2)) \
finish8: \
	FINISH(28, Z14, Z15, 0(R9)(DX*1), 64(R9)(DX*1)) \
finish7: \
	FINISH(24, Z12, Z13, 0(R9), 64(R9)) \
finish6: \
	FINISH(20, Z10, Z11, 0(R8)(DX*2), 64(R8)(DX*2)) \
finish5: \
	FINISH(16, Z8, Z9, 0(R8)(DX*1), 64(R8)(DX*1)) \
finish4: \
	FINISH(12, Z6, Z7, 0(R8), 64(R8)) \
finish3: \
	FINISH(8, Z4, Z5, 0(SI)(DX*2), 64(SI)(DX*2)) \
finish2: \
	FINISH(4, Z2, Z3, 0(SI)(DX*1), 64(SI)(DX*1)) \
finish1: \
	FINISH(0, Z0, Z1, 0(SI), 64(SI))
