#include "textflag.h"

// POINT sets a register to the next row, or leaves it on the last one, as the
// values of excess columns do not matter. R13 is the number of remaining rows.
#define POINT(from, to) \
	MOVQ from, to        \
	LEAQ (from)(SI*1), R12 \
	DECQ R13             \
	CMOVQGT R12, to

// LOAD reads four values each of a row and of the fourth row after it.
#define LOAD(off, upper, lower, to, both) \
	VMOVUPS off(upper)(R12*1), to \
	VINSERTF128 $1, off(lower)(R12*1), both, both

// QUARTER transposes four columns. Y0 to Y3 hold rows 0 to 3 in their lower halves
// and rows 4 to 7 in their upper halves.
#define QUARTER(at) \
	VUNPCKLPS Y1, Y0, Y4 \
	VUNPCKHPS Y1, Y0, Y5 \
	VUNPCKLPS Y3, Y2, Y6 \
	VUNPCKHPS Y3, Y2, Y7 \
	VUNPCKLPD Y6, Y4, Y0 \
	VUNPCKHPD Y6, Y4, Y1 \
	VUNPCKLPD Y7, Y5, Y2 \
	VUNPCKHPD Y7, Y5, Y3 \
	VMOVUPS Y0, at(DI)      \
	VMOVUPS Y1, at+64(DI)   \
	VMOVUPS Y2, at+128(DI)  \
	VMOVUPS Y3, at+192(DI)

// func pack256(dst, src []float32, ld, rows, k int), k a multiple of 8
TEXT ·pack256(SB), NOSPLIT, $0-72
	MOVQ dst_base+0(FP), DI
	MOVQ src_base+24(FP), AX
	MOVQ ld+48(FP), SI
	MOVQ rows+56(FP), R13
	SHLQ $2, SI
	MOVQ $2, R14
	CMPQ k+64(FP), $0
	JEQ  done
half:
	POINT(AX, BX)
	POINT(BX, CX)
	POINT(CX, DX)
	POINT(DX, R8)
	POINT(R8, R9)
	POINT(R9, R10)
	POINT(R10, R11)
	XORQ R12, R12
block:
	LOAD(0, AX, R8, X0, Y0)
	LOAD(0, BX, R9, X1, Y1)
	LOAD(0, CX, R10, X2, Y2)
	LOAD(0, DX, R11, X3, Y3)
	QUARTER(0)
	LOAD(16, AX, R8, X0, Y0)
	LOAD(16, BX, R9, X1, Y1)
	LOAD(16, CX, R10, X2, Y2)
	LOAD(16, DX, R11, X3, Y3)
	QUARTER(256)
	ADDQ $512, DI
	ADDQ $32, R12
	MOVQ R12, R15
	SHRQ $2, R15
	CMPQ R15, k+64(FP)
	JLT  block
	// The other 8 columns.
	DECQ R14
	JZ   done
	POINT(R11, AX)
	CMPQ R13, $0
	JLE  done
	MOVQ dst_base+0(FP), DI
	ADDQ $32, DI
	JMP  half
done:
	VZEROUPPER
	RET

// CONVERT converts 8 numbers at a time with BODY.
#define CONVERT(BODY) \
	MOVQ dst_base+0(FP), DI  \
	MOVQ src_base+24(FP), SI \
	MOVQ src_len+32(FP), CX  \
	TESTQ CX, CX     \
	JZ   done        \
full: \
	BODY             \
	VMOVUPS Y0, (DI) \
	ADDQ $16, SI     \
	ADDQ $32, DI     \
	SUBQ $8, CX      \
	JNZ  full        \
done: \
	VZEROUPPER       \
	RET

#define F16 VCVTPH2PS (SI), Y0

// func f16ToF32x256(dst []float32, src []uint16), lengths multiples of 8
TEXT ·f16ToF32x256(SB), NOSPLIT, $0-48
	CONVERT(F16)

#define BF16 VPMOVZXWD (SI), Y0; VPSLLD $16, Y0, Y0

// func bf16ToF32x256(dst []float32, src []uint16), lengths multiples of 8
TEXT ·bf16ToF32x256(SB), NOSPLIT, $0-48
	CONVERT(BF16)
