/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Serving an interrupt where it can be observed: irq:irq_handler_entry before its handler,
 * irq:irq_handler_exit after it. The interrupt controller calls it for every line (drivers do not
 * know core: boot/ puts it in place). Interrupt context.
 */
#pragma once

#include "arch/regs.h"

void interrupt_serve(unsigned line, void (*handler)(struct regs *regs), struct regs *regs);

/* When the one that this CPU is serving began (arch_clock_ns). Interrupt context. */
uint64_t interrupt_began(void);
