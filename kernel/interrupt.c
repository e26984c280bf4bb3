/* SPDX-License-Identifier: BSD-2-Clause */
/* See interrupt.h. */
#include "kernel/interrupt.h"

#include "core/pitot.h"
#include "core/tracepoint/define.h"

/* `name`: the device's, which `perf kwork` prints. */
#define IRQ_ENTRY_FIELDS(FIELD, of)                                                                \
    FIELD(of, s32, irq, "irq=%d")                                                                  \
    FIELD(of, text, name, " name=%s")                                                              \
    FIELD(of, function, handler, " handler=%ps")

#define IRQ_EXIT_FIELDS(FIELD, of)                                                                 \
    FIELD(of, s32, irq, "irq=%d")                                                                  \
    FIELD(of, function, handler, " handler=%ps")

TRACEPOINT_DECLARE(irq_handler_entry, IRQ_ENTRY_FIELDS);
TRACEPOINT_DECLARE(irq_handler_exit, IRQ_EXIT_FIELDS);
TRACEPOINT_DEFINE(irq, irq_handler_entry, IRQ_ENTRY_FIELDS);
TRACEPOINT_DEFINE(irq, irq_handler_exit, IRQ_EXIT_FIELDS);

static uint64_t began[ARCH_CPUS_MAX]; /* [owning CPU] */

uint64_t interrupt_began(void)
{
    return began[arch_cpu_id()];
}

void interrupt_serve(unsigned line, const char *name, void (*handler)(struct regs *regs),
                     struct regs *regs)
{
    began[arch_cpu_id()] = arch_clock_ns();
    TRACE(irq_handler_entry, (int32_t)line, name, (uintptr_t)handler);
    handler(regs);
    TRACE(irq_handler_exit, (int32_t)line, (uintptr_t)handler);
    pitot_gdb_poll(regs);
}
