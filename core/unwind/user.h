/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the n-th caller of a hit in the kernel or a program (unwind_find_caller), and continues a
 * call chain in the program from where the kernel's part ended (struct unwind_border). Follows
 * frame pointers, which programs keep in every build. The function's bytes decide the first step,
 * because execution may be in a prologue, an epilogue or a leaf without a frame (docs/programs.md).
 * Without `process` and `process_read` of struct pitot_kernel, chains end at the border.
 *
 * Any context, NMI included: page tables are walked in software, so reads cannot fault; every frame
 * lies above the previous one; bad values in a program's stack or registers only end its chain.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/unwind/unwind.h"

/*
 * Stores the program's addresses, innermost first, without the first `border->skip`. Returns their
 * number, at most `most`. `border->crossed` must be true.
 */
size_t unwind_user_capture(const struct unwind_border *border, uint64_t *chain, size_t most);

/*
 * Finds a hit's n-th caller, in the kernel or in the program that called it, for events that skip
 * frames. Stores the registers recovered by unwinding: ip, sp, bp and cs, or all if a trap
 * interrupted that frame; the rest are 0. Returns false if the chain has no such frame; then all
 * but cs are 0.
 */
bool unwind_find_caller(enum unwind_method method, const struct regs *hit, unsigned callers,
                        struct regs *caller);
