/* SPDX-License-Identifier: BSD-2-Clause */
/* What a CPU that starts finds, before it has a stack: shared by smp.c and boot/entry_high.asm. */
#pragma once

#include <stdint.h>

struct smp_start {
    uint64_t page_tables; /* for CR3 */
    uint64_t stack;       /* [A] the top of the stack; the CPU that exchanges it for 0 owns it */
};

extern struct smp_start smp_start;

/* Where the assembly continues. */
_Noreturn void smp_main(void);
