// This header has what the int8 products of AVX2 and AVX-VNNI share. The including file defines
// LOAD, which sets a register to the HALF bytes of 8 columns of a step.

// LOOP processes two steps in each of CX iterations.
#define LOOP(TILE, FOUR, ONE, REST) \
FOUR: \
	LOAD (DI), Y12         \
	LOAD HALF(DI), Y13     \
	TILE(0)                \
	LOAD (2*HALF)(DI), Y12 \
	LOAD (3*HALF)(DI), Y13 \
	TILE(4)                \
	ADDQ $8, SI            \
	ADDQ $8, R8            \
	ADDQ $(4*HALF), DI     \
	DECQ CX                \
	JNZ  FOUR              \
	JMP  done

// READ8 reads the arguments of the products.
#define READ8 \
	MOVQ rows+0(FP), AX    \
	MOVQ k+8(FP), CX       \
	MOVQ a_base+16(FP), SI \
	MOVQ lda+40(FP), DX    \
	MOVQ b_base+48(FP), DI \
	POINTERS

// FINISH writes a row: (sum*column + step*total)*scale + bias.
#define FINISH(r, lo, hi, to, next) \
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

// WRITE8 writes the AX rows of a tile.
#define WRITE8 \
	MOVQ c_base+72(FP), SI \
	MOVQ ldc+96(FP), DX \
	SHLQ $2, DX \
	POINTERS \
	MOVQ scale_base+104(FP), R12 \
	MOVQ columns_base+128(FP), R13 \
	MOVQ bias_base+152(FP), R14 \
	MOVQ steps_base+200(FP), BX \
	MOVQ totals_base+224(FP), CX \
	VMOVUPS (R13), Y12 \
	VMOVUPS 32(R13), Y13 \
	FINISH_ROWS
