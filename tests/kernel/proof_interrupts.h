/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interrupts and NMIs that this CPU sends itself at an instruction chosen by a stepper: through its
 * local APIC, with all lines of the interrupt controllers masked meanwhile. Source: Intel SDM vol.
 * 3, "Advanced Programmable Interrupt Controller (APIC)".
 */
#pragma once

#include <stdbool.h>

#include "arch/x86_64/entry/trap.h"

/*
 * Masks all lines and this CPU's own timer, and serves NMIs by `nmi`. False: there is no APIC. Task
 * context.
 */
bool interrupts_prepare(trap_handler *nmi);
void interrupts_restore(void);

/* Makes the interrupt pending until interrupts are on. Any context. */
void interrupts_raise(unsigned vector);

/* Ends the interrupt raised last: others may arrive. */
void interrupts_end(void);

/*
 * Called from a debug trap's handler, and only while no NMI is being served. An NMI arrives at
 * once, inside the handler, and is left without an iretq, so the CPU still blocks NMIs; another one
 * is then sent, and arrives exactly at the instruction to which the debug trap returns. False: the
 * first one did not arrive.
 */
bool interrupts_nmi_now_and_then(void);

/* The handler of the first NMI must end with this, which does not return. */
_Noreturn void interrupts_leave_nmi(void);
