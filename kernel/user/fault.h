/* SPDX-License-Identifier: BSD-2-Clause */
/* Handles the exceptions that programs cause. */
#pragma once

struct regs;

/*
 * Reports the exception and ends the program: the fault handler of arch_user_handlers. Does not
 * return.
 */
void process_fault(struct regs *regs);
