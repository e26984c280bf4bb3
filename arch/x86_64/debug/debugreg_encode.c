/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Computes DR7 from watches. Separate from code that accesses registers, so that it can be tested
 * on the host.
 */
#include "arch/x86_64/debug/debugreg.h"

/*
 * LEN field for 1, 2, 4 and 8 bytes: 8 is 10b, out of order (Intel SDM vol. 3, "Debug Control
 * Register (DR7)").
 */
static unsigned debugreg_length_bits(uint8_t length)
{
    switch (length) {
    case 1:
        return 0;
    case 2:
        return 1;
    case 4:
        return 3;
    default:
        return 2;
    }
}

static unsigned debugreg_access_bits(enum arch_access access)
{
    switch (access) {
    case ARCH_EXECUTE:
        return DR7_RW_EXECUTE;
    case ARCH_WRITE:
        return DR7_RW_WRITE;
    default:
        return DR7_RW_READ_WRITE;
    }
}

uint64_t debugreg_encode(const struct arch_watch *watches, unsigned count)
{
    uint64_t dr7 = DR7_OFF;

    for (unsigned i = 0; i < count; i++)
        dr7 |= DR7_GLOBAL(i) | DR7_RW(i, debugreg_access_bits(watches[i].access)) |
               DR7_LENGTH(i, debugreg_length_bits(watches[i].length));
    return dr7;
}
