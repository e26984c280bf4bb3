/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The registers of a hit's n-th caller, in the kernel or in the program that called it, so that the
 * sample can show that caller. Called by core/sample/sample.c if an event skips frames. Any
 * context, like unwinding.
 */
#pragma once

#include <stdbool.h>

#include "core/unwind/unwind.h"

/*
 * Stores the registers that unwinding knows: ip, sp, bp and cs, or all of them if a trap has
 * interrupted that frame; the others are 0. If the chain has no such frame, returns false, and all
 * but cs are 0.
 */
bool caller_find(enum unwind_method method, const struct regs *hit, unsigned callers,
                 struct regs *caller);
