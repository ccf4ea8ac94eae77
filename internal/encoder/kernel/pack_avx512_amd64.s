#include "textflag.h"

// Packing a panel transposes blocks of 16 rows and 16 columns, in four rounds
// that interleave 1, 2, 4 and 8 values of pairs of rows.

// LOAD reads 16 values of the row at AX and advances AX to the next row, or leaves
// it on the last one, as the values of excess columns do not matter. R13 is the
// number of remaining rows.
#define LOAD(r) \
	PREFETCHT0 512(AX)    \
	VMOVUPS.Z (AX), K1, r \
	LEAQ (AX)(DX*1), R12  \
	DECQ R13              \
	CMOVQGT R12, AX

#define LOAD16 \
	LOAD(Z0)  \
	LOAD(Z1)  \
	LOAD(Z2)  \
	LOAD(Z3)  \
	LOAD(Z4)  \
	LOAD(Z5)  \
	LOAD(Z6)  \
	LOAD(Z7)  \
	LOAD(Z8)  \
	LOAD(Z9)  \
	LOAD(Z10) \
	LOAD(Z11) \
	LOAD(Z12) \
	LOAD(Z13) \
	LOAD(Z14) \
	LOAD(Z15)

// SINGLES interleaves values of rows a and b, and PAIRS interleaves pairs. QUADS
// and OCTETS combine alternate groups of four values, the even ones in lo.
#define SINGLES(a, b, lo, hi) \
	VUNPCKLPS b, a, lo \
	VUNPCKHPS b, a, hi
#define PAIRS(a, b, lo, hi) \
	VUNPCKLPD b, a, lo \
	VUNPCKHPD b, a, hi
#define FOURS(a, b, lo, hi) \
	VSHUFF32X4 $0x88, b, a, lo \
	VSHUFF32X4 $0xdd, b, a, hi

#define TRANSPOSE \
	SINGLES(Z0, Z1, Z16, Z17) \
	SINGLES(Z2, Z3, Z18, Z19) \
	SINGLES(Z4, Z5, Z20, Z21) \
	SINGLES(Z6, Z7, Z22, Z23) \
	SINGLES(Z8, Z9, Z24, Z25) \
	SINGLES(Z10, Z11, Z26, Z27) \
	SINGLES(Z12, Z13, Z28, Z29) \
	SINGLES(Z14, Z15, Z30, Z31) \
	PAIRS(Z16, Z18, Z0, Z1) \
	PAIRS(Z17, Z19, Z2, Z3) \
	PAIRS(Z20, Z22, Z4, Z5) \
	PAIRS(Z21, Z23, Z6, Z7) \
	PAIRS(Z24, Z26, Z8, Z9) \
	PAIRS(Z25, Z27, Z10, Z11) \
	PAIRS(Z28, Z30, Z12, Z13) \
	PAIRS(Z29, Z31, Z14, Z15) \
	FOURS(Z0, Z4, Z16, Z20) \
	FOURS(Z8, Z12, Z24, Z28) \
	FOURS(Z1, Z5, Z17, Z21) \
	FOURS(Z9, Z13, Z25, Z29) \
	FOURS(Z2, Z6, Z18, Z22) \
	FOURS(Z10, Z14, Z26, Z30) \
	FOURS(Z3, Z7, Z19, Z23) \
	FOURS(Z11, Z15, Z27, Z31) \
	FOURS(Z16, Z24, Z0, Z8) \
	FOURS(Z20, Z28, Z4, Z12) \
	FOURS(Z17, Z25, Z1, Z9) \
	FOURS(Z21, Z29, Z5, Z13) \
	FOURS(Z18, Z26, Z2, Z10) \
	FOURS(Z22, Z30, Z6, Z14) \
	FOURS(Z19, Z27, Z3, Z11) \
	FOURS(Z23, Z31, Z7, Z15)

// func pack512(dst, src []float32, ld, rows, k int)
//
// Each column gets k values, rounded up to a multiple of 16.
TEXT ·pack512(SB), NOSPLIT, $0-72
	MOVQ dst_base+0(FP), R8
	MOVQ src_base+24(FP), R9
	MOVQ ld+48(FP), DX
	MOVQ rows+56(FP), R10
	SHLQ $2, DX
half:
	MOVQ R8, DI
	MOVQ R9, SI
	MOVQ k+64(FP), CX
block:
	MOVL  $-1, AX
	MOVQ  $16, BX
	CMPQ  CX, BX
	CMOVQLT CX, BX
	BZHIL BX, AX, AX
	KMOVW AX, K1
	MOVQ  SI, AX
	MOVQ  R10, R13
	LOAD16
	TRANSPOSE
	VMOVUPS Z0, 0(DI)
	VMOVUPS Z1, 128(DI)
	VMOVUPS Z2, 256(DI)
	VMOVUPS Z3, 384(DI)
	VMOVUPS Z4, 512(DI)
	VMOVUPS Z5, 640(DI)
	VMOVUPS Z6, 768(DI)
	VMOVUPS Z7, 896(DI)
	VMOVUPS Z8, 1024(DI)
	VMOVUPS Z9, 1152(DI)
	VMOVUPS Z10, 1280(DI)
	VMOVUPS Z11, 1408(DI)
	VMOVUPS Z12, 1536(DI)
	VMOVUPS Z13, 1664(DI)
	VMOVUPS Z14, 1792(DI)
	VMOVUPS Z15, 1920(DI)
	ADDQ $64, SI
	ADDQ $2048, DI
	SUBQ $16, CX
	JGT  block
	// The other 16 columns.
	MOVQ DX, AX
	SHLQ $4, AX
	ADDQ AX, R9
	ADDQ $64, R8
	SUBQ $16, R10
	JLE  done
	MOVQ R8, AX
	SUBQ dst_base+0(FP), AX
	CMPQ AX, $128
	JLT  half
done:
	VZEROUPPER
	RET

// CONVERT converts 16 numbers at a time with BODY, from memory, or masked by K1
// from a register.
#define CONVERT(BODY) \
	MOVQ dst_base+0(FP), DI  \
	MOVQ src_base+24(FP), SI \
	MOVQ src_len+32(FP), CX  \
	SUBQ $16, CX      \
	JLT  rest         \
full: \
	BODY((SI))        \
	VMOVUPS Z0, (DI)  \
	ADDQ $32, SI      \
	ADDQ $64, DI      \
	SUBQ $16, CX      \
	JGE  full         \
rest: \
	ADDQ $16, CX      \
	JZ   done         \
	MOVL $-1, AX      \
	BZHIL CX, AX, AX  \
	KMOVW AX, K1      \
	VMOVDQU16.Z (SI), K1, Y0 \
	BODY(Y0)          \
	VMOVUPS Z0, K1, (DI) \
done: \
	VZEROUPPER        \
	RET

#define F16(from) VCVTPH2PS from, Z0

// func f16ToF32x512(dst []float32, src []uint16)
TEXT ·f16ToF32x512(SB), NOSPLIT, $0-48
	CONVERT(F16)

#define BF16(from) VPMOVZXWD from, Z0; VPSLLD $16, Z0, Z0

// func bf16ToF32x512(dst []float32, src []uint16)
TEXT ·bf16ToF32x512(SB), NOSPLIT, $0-48
	CONVERT(BF16)
