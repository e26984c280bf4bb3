/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Skips iterations of a repeated string instruction that a stepper does not need to see. In the
 * debug trap, between two iterations.
 */
#pragma once

#include "arch/regs.h"

/*
 * Executes the rest of the interrupted `rep movs` or `rep stos`, except the last iteration. Other
 * instructions, and downward ones, are left alone.
 */
void repeat_rest(struct regs *regs);
