/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interrupts and NMIs that this CPU sends itself, at the instruction that a stepper chooses: by its
 * local APIC, with every line of the interrupt controllers masked meanwhile. Source: Intel SDM vol.
 * 3, "Advanced Programmable Interrupt Controller (APIC)".
 */
#pragma once

#include <stdbool.h>

#include "arch/x86_64/entry/trap.h"

/*
 * Masks all lines and this CPU's own timer, serves NMIs by `nmi`. False: there is no APIC. Task
 * context.
 */
bool interrupts_prepare(trap_handler *nmi);
void interrupts_restore(void);

/* Pending from now on, until interrupts are on. Any context. */
void interrupts_raise(unsigned vector);

/* The interrupt raised last is over: others may come. */
void interrupts_end(void);

/*
 * Called from a debug trap's handler, and only while no NMI is being served. An NMI comes at once,
 * inside the handler, and is left without an iretq, so that the CPU still holds NMIs back; another
 * one is then sent, and comes at the very instruction that the debug trap returns to. False: the
 * first did not come.
 */
bool interrupts_nmi_now_and_then(void);

/* The first of the two: its handler has to end by this, which does not return. */
_Noreturn void interrupts_leave_nmi(void);
