/* SPDX-License-Identifier: BSD-2-Clause */
/* See interrupt.h. */
#include "kernel/interrupt.h"

#include "arch/cpu.h"
#include "core/pitot.h"

/* `name`: the device's, which `perf kwork` prints. */

PITOT_TRACEPOINT(irq, irq_handler_entry, 3, PITOT_FIELD(s32, irq, "irq=%d"),
                 PITOT_FIELD(text, name, " name=%s"),
                 PITOT_FIELD(function, handler, " handler=%ps"));
PITOT_TRACEPOINT(irq, irq_handler_exit, 2, PITOT_FIELD(s32, irq, "irq=%d"),
                 PITOT_FIELD(function, handler, " handler=%ps"));

static uint64_t began[ARCH_CPUS_MAX]; /* [owning CPU] */

uint64_t interrupt_began(void)
{
    return began[arch_cpu_id()];
}

void interrupt_serve(unsigned line, const char *name, void (*handler)(struct regs *regs),
                     struct regs *regs)
{
    began[arch_cpu_id()] = arch_clock_ns();
    PITOT_TRACE(irq_handler_entry, line, name, handler);
    handler(regs);
    PITOT_TRACE(irq_handler_exit, line, handler);
    pitot_gdb_poll(regs);
}
