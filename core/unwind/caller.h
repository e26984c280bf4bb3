/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the registers of a hit's n-th caller, in the kernel or in the program that called it, so
 * that the sample shows that caller. Called by core/sample/sample.c for events that skip frames.
 * Any context.
 */
#pragma once

#include <stdbool.h>

#include "core/unwind/unwind.h"

/*
 * Stores the registers recovered by unwinding: ip, sp, bp and cs, or all of them if a trap
 * interrupted that frame; the rest are 0. Returns false if the chain has no such frame; then all
 * but cs are 0.
 */
bool caller_find(enum unwind_method method, const struct regs *hit, unsigned callers,
                 struct regs *caller);
