/* SPDX-License-Identifier: BSD-2-Clause */
/* A program's exceptions. */
#pragma once

struct regs;

/* Reports it and ends the program: arch_user_handlers' fault. Does not return. */
void process_fault(struct regs *regs);
