/* SPDX-License-Identifier: BSD-2-Clause */
/* The two 8259As: interrupts 0 to 15 on vectors 32 to 47. Source: Intel 8259A data sheet. */
#pragma once

#include "arch/x86_64/entry/trap.h"

/* Masks all lines, and moves the vectors away from the exceptions. Boot, interrupts off. */
void pic_init(void);

/* Runs a line's handler, in interrupt context. `name`: the device's. */
typedef void pic_server(unsigned line, const char *name, trap_handler *handler, struct regs *regs);

/* Sets the server; without one, handlers are called directly. Boot, interrupts off. */
void pic_set_server(pic_server *server);

/*
 * Sets the line's handler and unmasks the line. The handler runs with interrupts off; this driver
 * ends the interrupt.
 */
void pic_connect(unsigned line, const char *name, trap_handler *handler);

/* Mask or unmask a connected line. Any context of the boot CPU, or in a stop. */
void pic_mask(unsigned line);
void pic_unmask(unsigned line);
