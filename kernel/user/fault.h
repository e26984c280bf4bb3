/* SPDX-License-Identifier: BSD-2-Clause */
/* Handles the exceptions that programs cause. */
#pragma once

struct regs;

/* Reports the exception and ends the program; does not return. For arch_user_handlers. */
void process_fault(struct regs *regs);
