/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The registers of a hit's n-th caller, in the kernel or in the program that called it, so that a
 * sample can be of that one. Called by core/sample/sample.c where an event skips frames. Any
 * context, as unwinding.
 */
#pragma once

#include <stdbool.h>

#include "core/unwind/unwind.h"

/*
 * As far as unwinding knows them: ip, sp, bp and cs; all where a trap has interrupted that frame;
 * others are 0. False, and all 0 but cs, if the chain has no such frame.
 */
bool caller_find(enum unwind_method method, const struct regs *hit, unsigned callers,
                 struct regs *caller);
