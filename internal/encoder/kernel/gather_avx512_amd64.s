#include "textflag.h"

DATA lanes<>+0x00(SB)/8, $0x0000000100000000
DATA lanes<>+0x08(SB)/8, $0x0000000300000002
DATA lanes<>+0x10(SB)/8, $0x0000000500000004
DATA lanes<>+0x18(SB)/8, $0x0000000700000006
DATA lanes<>+0x20(SB)/8, $0x0000000900000008
DATA lanes<>+0x28(SB)/8, $0x0000000b0000000a
DATA lanes<>+0x30(SB)/8, $0x0000000d0000000c
DATA lanes<>+0x38(SB)/8, $0x0000000f0000000e
GLOBL lanes<>(SB), RODATA|NOPTR, $64

// func gatherAdd512(dst, src []float32, columns []int32, step int)
TEXT ·gatherAdd512(SB), NOSPLIT, $0-80
	MOVQ dst_base+0(FP), DI
	MOVQ src_base+24(FP), SI
	MOVQ columns_base+48(FP), R8
	MOVQ columns_len+56(FP), CX
	MOVQ step+72(FP), R9
	VPBROADCASTD R9, Z0
	VPMULLD lanes<>(SB), Z0, Z0
	SHLQ $6, R9 // 16 rows, in bytes
	MOVL $0xffff, AX

loop:
	SUBQ $16, CX
	JGE  gather
	ADDQ $16, CX
	JZ   done
	BZHIL CX, AX, AX
	XORL CX, CX

gather: // 16 values, or those masked by AX
	KMOVW AX, K1
	KMOVW AX, K2
	VMOVDQU32.Z (R8), K1, Z1
	VMOVUPS.Z (DI), K1, Z3
	VPADDD Z0, Z1, Z1
	VPXORD Z2, Z2, Z2
	VGATHERDPS (SI)(Z1*4), K2, Z2
	VADDPS Z3, Z2, Z2
	VMOVUPS Z2, K1, (DI)
	ADDQ $64, R8
	ADDQ $64, DI
	ADDQ R9, SI
	TESTQ CX, CX
	JNZ loop

done:
	VZEROUPPER
	RET
