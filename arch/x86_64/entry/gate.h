/* SPDX-License-Identifier: BSD-2-Clause */
/* What an interrupt does that comes upon a gate (arch/x86_64/cpu/site.h). */
#pragma once

struct regs;

/*
 * An interrupt's frame, in front of its handler: if it stands in a gate that has not turned
 * interrupts off yet, it stands at the call of the gate behind this.
 */
void gate_back_out(struct regs *regs);
