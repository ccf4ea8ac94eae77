#include "textflag.h"

// The tiles TMM0 to TMM3 are the sums of up to 32 rows and 32 columns, TMM4 and TMM5 hold 64 inputs of up to 16 rows each, TMM6
// and TMM7 64 weights of 16 columns each. The rows of a start at SI, from the 17th on at BX, with stride DX. Go's assembler lacks
// these instructions.
#define LDTILECFG_AX BYTE $0xC4; BYTE $0xE2; BYTE $0x78; BYTE $0x49; BYTE $0x00
#define TILERELEASE BYTE $0xC4; BYTE $0xE2; BYTE $0x78; BYTE $0x49; BYTE $0xC0
#define TILEZERO(register) BYTE $0xC4; BYTE $0xE2; BYTE $0x7B; BYTE $0x49; BYTE $register
#define TILELOAD(register, address) BYTE $0xC4; BYTE $0xE2; BYTE $0x7B; BYTE $0x4B; BYTE $register; BYTE $address
#define TILESTORE(register, address) BYTE $0xC4; BYTE $0xE2; BYTE $0x7A; BYTE $0x4B; BYTE $register; BYTE $address
// TDPBUSD adds the products of unsigned rows and signed columns to sums. IN6 and IN7 are the byte of the prefix that says that the
// columns are in TMM6 or TMM7.
#define TDPBUSD(columns, registers) BYTE $0xC4; BYTE $0xE2; BYTE $columns; BYTE $0x5E; BYTE $registers
#define IN6 0x49
#define IN7 0x41

// FINISH writes 16 values of a row: ((sum+sums)*column + step*total)*scale + bias, where sums undo the 128 added to inputs.
#define FINISH(at, sums, columns, totals, bias) \
	VPADDD      at(SI), sums, Z0   \
	VCVTDQ2PS   Z0, Z0             \
	VMULPS      columns, Z0, Z0    \
	VFMADD231PS totals, Z31, Z0    \
	VFMADD213PS bias, Z30, Z0      \
	VMOVUPS     Z0, at(SI)

// func gemm8AMX(rows, k int, a []byte, lda int, b []int8, c []float32, ldc int, scale, columns, bias []float32, sums []int32, steps, totals []float32)
TEXT ·gemm8AMX(SB), NOSPLIT, $64-248
	MOVQ rows+0(FP), R9
	MOVQ k+8(FP), R8
	MOVQ a_base+16(FP), SI
	MOVQ lda+40(FP), DX
	MOVQ b_base+48(FP), DI

	// The configuration: palette 1, the bytes of a row from byte 16 on, the rows from byte 48 on.
	MOVQ $16, R10
	CMPQ R9, R10
	CMOVQLT R9, R10 // rows of the first tiles
	MOVQ R9, R11
	SUBQ R10, R11   // rows of the second ones
	LEAQ config-64(SP), AX
	VPXORD Z0, Z0, Z0
	VMOVDQU32 Z0, (AX)
	MOVB $1, (AX)
	MOVQ $0x0040004000400040, R12
	MOVQ R12, 16(AX)
	MOVQ R12, 24(AX)
	MOVB R10, 48(AX)
	MOVB R10, 49(AX)
	MOVB R10, 52(AX)
	MOVB $16, 54(AX)
	MOVB $16, 55(AX)
	MOVQ $1, R13
	TESTQ R11, R11
	CMOVQNE R11, R13 // an unused tile has a row, too: bytes without rows are a fault
	MOVB R13, 50(AX)
	MOVB R13, 51(AX)
	MOVB R13, 53(AX)
	LDTILECFG_AX

	MOVQ DX, BX
	SHLQ $4, BX
	ADDQ SI, BX
	MOVQ $128, CX // bytes of a row of b
	SHRQ $6, R8
	TILEZERO(0xC0)
	TILEZERO(0xC8)
	TESTQ R11, R11
	JZ single
	TILEZERO(0xD0)
	TILEZERO(0xD8)
double:
	TILELOAD(0x34, 0x0F)             // TMM6: (DI)(CX*1)
	TILELOAD(0x24, 0x16)             // TMM4: (SI)(DX*1)
	TDPBUSD(IN6, 0xC4)              // TMM0 += TMM4*TMM6
	TILELOAD(0x7C, 0x0F); BYTE $0x40 // TMM7: 64(DI)(CX*1)
	TDPBUSD(IN7, 0xCC)              // TMM1 += TMM4*TMM7
	TILELOAD(0x2C, 0x13)             // TMM5: (BX)(DX*1)
	TDPBUSD(IN6, 0xD5)              // TMM2 += TMM5*TMM6
	TDPBUSD(IN7, 0xDD)              // TMM3 += TMM5*TMM7
	ADDQ $64, SI
	ADDQ $64, BX
	ADDQ $2048, DI
	DECQ R8
	JNZ double
	JMP store
single:
	TILELOAD(0x34, 0x0F)
	TILELOAD(0x24, 0x16)
	TDPBUSD(IN6, 0xC4)
	TILELOAD(0x7C, 0x0F); BYTE $0x40
	TDPBUSD(IN7, 0xCC)
	ADDQ $64, SI
	ADDQ $2048, DI
	DECQ R8
	JNZ single

store: // the sums go to c, where they are finished
	MOVQ c_base+72(FP), SI
	MOVQ ldc+96(FP), DX
	SHLQ $2, DX
	TILESTORE(0x04, 0x16)             // TMM0 to (SI)(DX*1)
	TILESTORE(0x4C, 0x16); BYTE $0x40 // TMM1 to 64(SI)(DX*1)
	TESTQ R11, R11
	JZ finish
	MOVQ DX, BX
	SHLQ $4, BX
	ADDQ SI, BX
	TILESTORE(0x14, 0x13)             // TMM2 to (BX)(DX*1)
	TILESTORE(0x5C, 0x13); BYTE $0x40 // TMM3 to 64(BX)(DX*1)
finish:
	TILERELEASE
	MOVQ scale_base+104(FP), R12
	MOVQ columns_base+128(FP), AX
	VMOVUPS (AX), Z20
	VMOVUPS 64(AX), Z21
	MOVQ bias_base+152(FP), AX
	VMOVUPS (AX), Z22
	VMOVUPS 64(AX), Z23
	MOVQ sums_base+176(FP), AX
	VMOVDQU32 (AX), Z24
	VMOVDQU32 64(AX), Z25
	MOVQ totals_base+224(FP), AX
	VMOVUPS (AX), Z26
	VMOVUPS 64(AX), Z27
	MOVQ steps_base+200(FP), BX
row:
	VBROADCASTSS (R12), Z30
	VBROADCASTSS (BX), Z31
	FINISH(0, Z24, Z20, Z26, Z22)
	FINISH(64, Z25, Z21, Z27, Z23)
	ADDQ $4, R12
	ADDQ $4, BX
	ADDQ DX, SI
	DECQ R9
	JNZ row
	VZEROUPPER
	RET
