/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The two 8259A interrupt controllers, interrupts 0 to 15 on vectors 32 to 47. Source: Intel 8259A
 * data sheet.
 */
#pragma once

#include "arch/x86_64/entry/trap.h"

/* All lines masked, vectors moved away from the exceptions'. Boot, interrupts off. */
void pic_init(void);

/* Runs a line's handler, in interrupt context. */
typedef void pic_server(unsigned line, trap_handler *handler, struct regs *regs);

/* What runs the handlers; without one they are called as they are. Boot, interrupts off. */
void pic_set_server(pic_server *server);

/* Serves `line` with `handler` (interrupts off; the acknowledgement is ours) and unmasks it. */
void pic_connect(unsigned line, trap_handler *handler);

/* A line that is connected rests, or is served again. Any context of the boot CPU, or in a stop. */
void pic_mask(unsigned line);
void pic_unmask(unsigned line);
