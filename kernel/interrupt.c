/* SPDX-License-Identifier: BSD-2-Clause */
/* See interrupt.h. */
#include "kernel/interrupt.h"

#include "core/pitot.h"

/* `name`: the device's, which `perf kwork` prints. */

PITOT_TRACEPOINT(irq, irq_handler_entry, 3, PITOT_FIELD(s32, irq, "irq=%d"),
                 PITOT_FIELD(text, name, " name=%s"),
                 PITOT_FIELD(function, handler, " handler=%ps"));
PITOT_TRACEPOINT(irq, irq_handler_exit, 2, PITOT_FIELD(s32, irq, "irq=%d"),
                 PITOT_FIELD(function, handler, " handler=%ps"));

void interrupt_serve(unsigned line, const char *name, void (*handler)(struct regs *regs),
                     struct regs *regs)
{
    PITOT_TRACE(irq_handler_entry, line, name, handler);
    handler(regs);
    PITOT_TRACE(irq_handler_exit, line, handler);
    pitot_gdb_poll(regs);
}
