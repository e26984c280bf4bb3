/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Skips iterations of a repeated string instruction that a stepper does not need to see. In the
 * debug trap, between two iterations.
 */
#pragma once

#include "arch/x86_64/cpu/regs.h"

/*
 * Does for the interrupted `rep movs` or `rep stos` what is left, but for the last iteration. It
 * leaves alone what is none of these, and what goes downwards.
 */
void repeat_rest(struct regs *regs);
