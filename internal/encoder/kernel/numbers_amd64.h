// Offsets in ·numbers, defined in numbers_amd64.s.
#define EXP5 ·numbers+0(SB)
#define EXP4 ·numbers+4(SB)
#define EXP3 ·numbers+8(SB)
#define EXP2 ·numbers+12(SB)
#define EXP1 ·numbers+16(SB)
#define ONE ·numbers+20(SB)
#define TWO ·numbers+24(SB)
#define LOW ·numbers+28(SB)
#define HIGH ·numbers+32(SB)
#define TANH1 ·numbers+36(SB)
#define TANH3 ·numbers+40(SB)
#define LOG2E_2 ·numbers+44(SB)
#define TWO_NEG ·numbers+48(SB)
#define HALF ·numbers+52(SB)
#define LOWEST ·numbers+56(SB)
#define LOG2E ·numbers+60(SB)
#define FAR ·numbers+64(SB)
#define FAR_NEG ·numbers+68(SB)
#define ERF_P4 ·numbers+72(SB)
#define ERF_P3 ·numbers+76(SB)
#define ERF_P2 ·numbers+80(SB)
#define ERF_P1 ·numbers+84(SB)
#define ERF_P0 ·numbers+88(SB)
#define ERF_Q6 ·numbers+92(SB)
#define ERF_Q5 ·numbers+96(SB)
#define ERF_Q4 ·numbers+100(SB)
#define ERF_Q3 ·numbers+104(SB)
#define ERF_Q2 ·numbers+108(SB)
#define ERF_Q1 ·numbers+112(SB)
#define ABS ·numbers+116(SB)
#define OFFSET ·numbers+120(SB)
#define MINUS_INF ·numbers+124(SB)
#define ONE_INT ·numbers+128(SB)

// MASKS is the middle of ·masks.
#define MASKS ·masks+32(SB)

#define ONES ·ones+0(SB)

// FOLD combines the four lanes of X0 with OP into all of them.
#define FOLD(OP) \
	VPSHUFD $0x4e, X0, X1 \
	OP X1, X0, X0         \
	VPSHUFD $0xb1, X0, X1 \
	OP X1, X0, X0
