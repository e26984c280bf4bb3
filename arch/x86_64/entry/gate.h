/* SPDX-License-Identifier: BSD-2-Clause */
/* What an interrupt does that comes upon a gate (arch/x86_64/cpu/site.h). */
#pragma once

struct regs;

/*
 * Called with an interrupt's frame, before its handler: a frame that stands in a gate which has not
 * turned interrupts off yet stands at the call of that gate afterwards.
 */
void gate_back_out(struct regs *regs);
