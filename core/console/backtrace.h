/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A call chain as text, for the user. It is taken first and printed later, so that a caller that
 * has stopped a thread or the other CPUs can release them before the printing. Any context, a crash
 * included; allocates nothing.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/unwind/unwind.h"

/* If a chain is longer, only its first and its last frames are printed. */
#define BACKTRACE_FIRST 24
#define BACKTRACE_LAST  8

struct regs;
struct sink;

struct backtrace_frame {
    uintptr_t ip;
    enum unwind_kind kind;
    const char *trap; /* the name of the trap that interrupted this frame; NULL: none did, or it is
                       * not known */
};

struct backtrace {
    struct backtrace_frame first[BACKTRACE_FIRST];
    struct backtrace_frame last[BACKTRACE_LAST]; /* the newest replaces the oldest */
    size_t frames;
    enum unwind_end end;
    uintptr_t user_ip; /* ip of the program that entered the kernel, if the chain ends there */
};

/* Takes the chain that begins at `regs`. */
void backtrace_take(struct backtrace *backtrace, const struct regs *regs);

/* Prints a line for each frame, and, if the chain is not whole, why it ends there. */
void backtrace_print(const struct backtrace *backtrace, struct sink *to);
