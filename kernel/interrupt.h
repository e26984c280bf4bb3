/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs an interrupt handler between the tracepoints irq:irq_handler_entry and irq_handler_exit.
 * Interrupt context, for every line. boot/ passes it to the drivers, which do not know core.
 */
#pragma once

#include "arch/regs.h"

void interrupt_serve(unsigned line, const char *name, void (*handler)(struct regs *regs),
                     struct regs *regs);
