/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints a call chain for the user. Capturing is separate from printing, so that a caller that has
 * stopped a thread or the other CPUs can release them before it prints. Any context, including a
 * crash; allocates nothing.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/unwind/unwind.h"

/* Longer chains are printed with only their first and last frames. */
#define BACKTRACE_FIRST 24
#define BACKTRACE_LAST  8

struct regs;
struct sink;

struct backtrace_frame {
    uintptr_t ip;
    enum unwind_kind kind;
    const char *trap; /* trap that interrupted this frame; NULL if none or unknown */
};

struct backtrace {
    struct backtrace_frame first[BACKTRACE_FIRST];
    struct backtrace_frame last[BACKTRACE_LAST]; /* the newest replaces the oldest */
    size_t frames;
    enum unwind_end end;
    uintptr_t user_ip; /* ip of the program that entered the kernel, if the chain ends there */
};

/* Captures the chain that begins at `regs`. */
void backtrace_take(struct backtrace *backtrace, const struct regs *regs);

/* Prints one line per frame and, if the chain is incomplete, why it ends there. */
void backtrace_print(const struct backtrace *backtrace, struct sink *to);
