/* SPDX-License-Identifier: BSD-2-Clause */
/* Computes DR7 from watches; touches no register, so it is tested on the host. */
#include "arch/x86_64/debug/debugreg.h"

/* R/W and LEN (Intel SDM vol. 3, "Debug Control Register (DR7)"); 10b is a LEN of 8 bytes. */
static const uint8_t access_bits[] = {[ARCH_EXECUTE] = 0, [ARCH_WRITE] = 1, [ARCH_READ_WRITE] = 3};

uint64_t debugreg_encode(const struct arch_watch *watches, unsigned count)
{
    uint64_t dr7 = DR7_OFF;

    for (unsigned i = 0; i < count; i++) {
        unsigned length = watches[i].length;

        dr7 |= DR7_GLOBAL(i) | DR7_RW(i, access_bits[watches[i].access]) |
               DR7_LENGTH(i, length == 8 ? 2 : length - 1);
    }
    return dr7;
}
