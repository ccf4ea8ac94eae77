#include "textflag.h"

// Tiles have 6 rows and 16 columns. The sums of row r are in V(4r) to V(4r+3), the
// columns of a step in V24 to V27, and V28 holds a row value in all lanes. If
// there are fewer rows, the last one is computed repeatedly and written once.
//
// Instructions that the assembler lacks are encoded as words.
#define SDOT(m, n, d) WORD $(0x4e809400 | (m<<16) | (n<<5) | d)   // sdot vd.4s, vn.16b, vm.16b
#define SCVTF(n, d) WORD $(0x4e21d800 | (n<<5) | d)               // scvtf vd.4s, vn.4s
#define FMUL(m, n, d) WORD $(0x6e20dc00 | (m<<16) | (n<<5) | d)   // fmul vd.4s, vn.4s, vm.4s
#define FMLA(m, n, d) WORD $(0x4e20cc00 | (m<<16) | (n<<5) | d)   // fmla vd.4s, vn.4s, vm.4s

DATA ones<>+0(SB)/4, $0x3f800000
GLOBL ones<>(SB), RODATA|NOPTR, $4

// POINT sets a pointer to the next row, R9 bytes further, or leaves it on the
// last one. R8 is the number of remaining rows.
#define POINT(from, to) \
	SUBS $1, R8, R8      \
	ADD  R9, from, to    \
	CSEL GT, to, from, to

#define POINTERS \
	POINT(R0, R1) \
	POINT(R1, R2) \
	POINT(R2, R3) \
	POINT(R3, R4) \
	POINT(R4, R5)

// CLEAR24 sets the first registers to 0.
#define CLEAR24 \
	VEOR V0.B16, V0.B16, V0.B16 \
	VEOR V1.B16, V1.B16, V1.B16 \
	VEOR V2.B16, V2.B16, V2.B16 \
	VEOR V3.B16, V3.B16, V3.B16 \
	VEOR V4.B16, V4.B16, V4.B16 \
	VEOR V5.B16, V5.B16, V5.B16 \
	VEOR V6.B16, V6.B16, V6.B16 \
	VEOR V7.B16, V7.B16, V7.B16 \
	VEOR V8.B16, V8.B16, V8.B16 \
	VEOR V9.B16, V9.B16, V9.B16 \
	VEOR V10.B16, V10.B16, V10.B16 \
	VEOR V11.B16, V11.B16, V11.B16 \
	VEOR V12.B16, V12.B16, V12.B16 \
	VEOR V13.B16, V13.B16, V13.B16 \
	VEOR V14.B16, V14.B16, V14.B16 \
	VEOR V15.B16, V15.B16, V15.B16 \
	VEOR V16.B16, V16.B16, V16.B16 \
	VEOR V17.B16, V17.B16, V17.B16 \
	VEOR V18.B16, V18.B16, V18.B16 \
	VEOR V19.B16, V19.B16, V19.B16 \
	VEOR V20.B16, V20.B16, V20.B16 \
	VEOR V21.B16, V21.B16, V21.B16 \
	VEOR V22.B16, V22.B16, V22.B16 \
	VEOR V23.B16, V23.B16, V23.B16

// ROW adds the products of the next value of a row.
#define ROW(p, a, b, c, d) \
	VLD1R.P 4(p), [V28.S4]       \
	VFMLA V24.S4, V28.S4, a.S4   \
	VFMLA V25.S4, V28.S4, b.S4   \
	VFMLA V26.S4, V28.S4, c.S4   \
	VFMLA V27.S4, V28.S4, d.S4

// FINISH writes a row to R0: sum*scale + bias. The bias is at R11 and the scale
// at R10, which is advanced by R12 bytes.
#define FINISH(a, b, c, d) \
	VLD1 (R11), [V28.S4, V29.S4, V30.S4, V31.S4] \
	VLD1R (R10), [V24.S4]        \
	ADD  R12, R10, R10           \
	VFMLA a.S4, V24.S4, V28.S4   \
	VFMLA b.S4, V24.S4, V29.S4   \
	VFMLA c.S4, V24.S4, V30.S4   \
	VFMLA d.S4, V24.S4, V31.S4   \
	VST1 [V28.S4, V29.S4, V30.S4, V31.S4], (R0) \
	ADD  R9, R0, R0              \
	SUBS $1, R8, R8              \
	BEQ  done

#define FINISH6 \
	FINISH(V0, V1, V2, V3)     \
	FINISH(V4, V5, V6, V7)     \
	FINISH(V8, V9, V10, V11)   \
	FINISH(V12, V13, V14, V15) \
	FINISH(V16, V17, V18, V19) \
	FINISH(V20, V21, V22, V23)

// func gemmNEON(rows, k int, a []float32, lda int, b, c []float32, ldc int, scale, bias []float32)
//
// Unlike the other kernels it requires a bias of 16 values.
TEXT ·gemmNEON(SB), NOSPLIT, $0-152
	MOVD rows+0(FP), R8
	MOVD k+8(FP), R7
	MOVD a_base+16(FP), R0
	MOVD lda+40(FP), R9
	MOVD b_base+48(FP), R6
	LSL  $2, R9, R9
	POINTERS
	CLEAR24
	CBZ  R7, sums
step:
	VLD1.P 64(R6), [V24.S4, V25.S4, V26.S4, V27.S4]
	ROW(R0, V0, V1, V2, V3)
	ROW(R1, V4, V5, V6, V7)
	ROW(R2, V8, V9, V10, V11)
	ROW(R3, V12, V13, V14, V15)
	ROW(R4, V16, V17, V18, V19)
	ROW(R5, V20, V21, V22, V23)
	SUBS $1, R7, R7
	BNE  step
sums:
	MOVD rows+0(FP), R8
	MOVD c_base+72(FP), R0
	MOVD ldc+96(FP), R9
	MOVD scale_base+104(FP), R10
	MOVD bias_base+128(FP), R11
	LSL  $2, R9, R9
	MOVD $4, R12
	CBNZ R10, finish
	MOVD $ones<>(SB), R10
	MOVD $0, R12
finish:
	FINISH6
done:
	RET

// DOT adds the products of the next four values of a row.
#define DOT(p, a, b, c, d) \
	VLD1R.P 4(p), [V28.S4] \
	SDOT(28, 24, a)        \
	SDOT(28, 25, b)        \
	SDOT(28, 26, c)        \
	SDOT(28, 27, d)

// SCALED converts the sums of a row to floats: sum*column + step*total.
#define SCALED(a, b, c, d) \
	VLD1 (R13), [V24.S4, V25.S4, V26.S4, V27.S4] \
	SCVTF(a, a)     \
	SCVTF(b, b)     \
	SCVTF(c, c)     \
	SCVTF(d, d)     \
	FMUL(24, a, a)  \
	FMUL(25, b, b)  \
	FMUL(26, c, c)  \
	FMUL(27, d, d)  \
	VLD1 (R14), [V24.S4, V25.S4, V26.S4, V27.S4] \
	VLD1R.P 4(R15), [V28.S4] \
	FMLA(28, 24, a) \
	FMLA(28, 25, b) \
	FMLA(28, 26, c) \
	FMLA(28, 27, d)

// func gemm8DOT(rows, k int, a []byte, lda int, b []int8, c []float32, ldc int, scale, columns, bias []float32, sums []int32, steps, totals []float32)
TEXT ·gemm8DOT(SB), NOSPLIT, $0-248
	MOVD rows+0(FP), R8
	MOVD k+8(FP), R7
	MOVD a_base+16(FP), R0
	MOVD lda+40(FP), R9
	MOVD b_base+48(FP), R6
	POINTERS
	CLEAR24
step:
	VLD1.P 64(R6), [V24.B16, V25.B16, V26.B16, V27.B16]
	DOT(R0, 0, 1, 2, 3)
	DOT(R1, 4, 5, 6, 7)
	DOT(R2, 8, 9, 10, 11)
	DOT(R3, 12, 13, 14, 15)
	DOT(R4, 16, 17, 18, 19)
	DOT(R5, 20, 21, 22, 23)
	SUBS $4, R7, R7
	BGT  step
	MOVD rows+0(FP), R8
	MOVD c_base+72(FP), R0
	MOVD ldc+96(FP), R9
	MOVD scale_base+104(FP), R10
	MOVD columns_base+128(FP), R13
	MOVD bias_base+152(FP), R11
	LSL  $2, R9, R9
	MOVD $4, R12
	MOVD steps_base+200(FP), R15
	MOVD totals_base+224(FP), R14
	SCALED(0, 1, 2, 3)
	SCALED(4, 5, 6, 7)
	SCALED(8, 9, 10, 11)
	SCALED(12, 13, 14, 15)
	SCALED(16, 17, 18, 19)
	SCALED(20, 21, 22, 23)
	FINISH6
done:
	RET
