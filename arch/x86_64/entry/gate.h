/* SPDX-License-Identifier: BSD-2-Clause */
/* Handles an interrupt that arrives inside a gate (arch/x86_64/cpu/site.h). */
#pragma once

struct regs;

/*
 * Called with an interrupt's frame, before its handler. If the frame is in a gate that has not yet
 * turned interrupts off, moves it back to the call of that gate.
 */
void gate_back_out(struct regs *regs);
