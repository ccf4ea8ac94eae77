#include "textflag.h"

// Constants for the vector loops; numbers_amd64.h defines their offsets. The
// coefficients were fitted for this package by iteratively reweighted least
// squares (Lawson's algorithm):
//
// 2^f for |f| <= 1/2 is 1 + f*(EXP1 + f*(EXP2 + ...)), with a relative error of
// 9.1e-8.
//
// The normal distribution function for |x| <= 5.5 is 1/2 + x*P(x²)/Q(x²), where
// the first coefficient of Q is 1. The resulting GELU has an error of 3.5e-8
// relative to max(1, |x|) before rounding.
DATA ·numbers+0(SB)/4, $0x3aaddd0a // 0.00132647273
DATA ·numbers+4(SB)/4, $0x3c1e7544 // 0.00967151299
DATA ·numbers+8(SB)/4, $0x3d635ba9 // 0.0555073358
DATA ·numbers+12(SB)/4, $0x3e75fcde // 0.240222424
DATA ·numbers+16(SB)/4, $0x3f317215 // 0.693147004
DATA ·numbers+20(SB)/4, $0x3f800000 // 1.0
DATA ·numbers+24(SB)/4, $0x40000000 // 2.0
DATA ·numbers+28(SB)/4, $0xc2fc0000 // -126.0
DATA ·numbers+32(SB)/4, $0x42fc0000 // 126.0
DATA ·numbers+36(SB)/4, $0xc0135761 // -2*log2(e)*sqrt(2/pi)
DATA ·numbers+40(SB)/4, $0xbdd2d3e8 // 0.044715 times that
DATA ·numbers+44(SB)/4, $0x4038aa3b // 2*log2(e)
DATA ·numbers+48(SB)/4, $0xc0000000 // -2.0
DATA ·numbers+52(SB)/4, $0x3f000000 // 0.5
DATA ·numbers+56(SB)/4, $0xc3200000 // -160.0
DATA ·numbers+60(SB)/4, $0x3fb8aa3b // log2(e)
DATA ·numbers+64(SB)/4, $0x40b00000 // 5.5
DATA ·numbers+68(SB)/4, $0xc0b00000 // -5.5
DATA ·numbers+72(SB)/4, $0x36b56b94 // 5.40674409e-06
DATA ·numbers+76(SB)/4, $0x393b76ca // 0.000178779621
DATA ·numbers+80(SB)/4, $0x3b9947c5 // 0.00467774505
DATA ·numbers+84(SB)/4, $0x3d10e76d // 0.0353769548
DATA ·numbers+88(SB)/4, $0x3ecc4220 // 0.398941994
DATA ·numbers+92(SB)/4, $0xb0eb0348 // -1.7099433e-09
DATA ·numbers+96(SB)/4, $0x3546be54 // 7.40377118e-07
DATA ·numbers+100(SB)/4, $0x3899d354 // 7.33497145e-05
DATA ·numbers+104(SB)/4, $0x3afb6a1f // 0.00191814068
DATA ·numbers+108(SB)/4, $0x3cefebed // 0.0292873029
DATA ·numbers+112(SB)/4, $0x3e82bbf0 // 0.255340099
DATA ·numbers+116(SB)/4, $0x7fffffff // mask without the sign bit
DATA ·numbers+120(SB)/4, $0x00000080 // 128
DATA ·numbers+124(SB)/4, $0xff800000 // -Inf
DATA ·numbers+128(SB)/4, $0x0000007f // exponent bias
GLOBL ·numbers(SB), RODATA|NOPTR, $132

// Eight enabled lanes followed by eight disabled ones. The mask for n lanes
// starts 4n bytes before the middle.
DATA ·masks+0(SB)/8, $0xffffffffffffffff
DATA ·masks+8(SB)/8, $0xffffffffffffffff
DATA ·masks+16(SB)/8, $0xffffffffffffffff
DATA ·masks+24(SB)/8, $0xffffffffffffffff
GLOBL ·masks(SB), RODATA|NOPTR, $64

// The scales of products without scales: a one for each row of a tile.
DATA ·ones+0(SB)/8, $0x3f8000003f800000
DATA ·ones+8(SB)/8, $0x3f8000003f800000
DATA ·ones+16(SB)/8, $0x3f8000003f800000
DATA ·ones+24(SB)/8, $0x3f8000003f800000
DATA ·ones+32(SB)/8, $0x3f8000003f800000
DATA ·ones+40(SB)/8, $0x3f8000003f800000
DATA ·ones+48(SB)/8, $0x3f8000003f800000
GLOBL ·ones(SB), RODATA|NOPTR, $56
