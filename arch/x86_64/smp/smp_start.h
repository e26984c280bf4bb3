/* SPDX-License-Identifier: BSD-2-Clause */
/* Data for a starting CPU that has no stack yet: shared by smp.c and boot/entry_high.asm. */
#pragma once

#include <stdint.h>

struct smp_start {
    uint64_t page_tables; /* for CR3 */
    uint64_t stack;       /* [A] the top of the stack; the CPU that exchanges it for 0 owns it */
};

extern struct smp_start smp_start;

/* Called by the assembly. */
_Noreturn void smp_main(void);
