/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs interrupt handlers with a tracepoint on either side: irq:irq_handler_entry before the
 * handler, irq:irq_handler_exit after it. The interrupt controller's driver calls this for every
 * line (drivers do not know core: boot/ connects the two). Interrupt context.
 */
#pragma once

#include "arch/regs.h"

void interrupt_serve(unsigned line, void (*handler)(struct regs *regs), struct regs *regs);

/* When the interrupt that this CPU is serving began (arch_clock_ns). Interrupt context. */
uint64_t interrupt_began(void);
