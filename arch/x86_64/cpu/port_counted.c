/* SPDX-License-Identifier: BSD-2-Clause */
/* See port_counted.h. */
#include "arch/x86_64/cpu/port_counted.h"

#include "arch/x86_64/cpu/local.h"
#include "arch/x86_64/cpu/regs.h"

extern const uint64_t port_counts, port_has_counted; /* arch/x86_64/cpu/port_counted.asm */

void port_count_settle(struct regs *regs)
{
    if (regs->ip != port_counts)
        return;
    local_increment((uint64_t *)regs->cx);
    regs->ip = port_has_counted;
}
