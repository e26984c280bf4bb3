/* SPDX-License-Identifier: BSD-2-Clause */
/* A call chain, captured before it is printed so that stopped CPUs can be released. Any context. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/unwind/unwind.h"

/* Of longer chains, only the first and the last frames are printed. */
#define BACKTRACE_FIRST 24
#define BACKTRACE_LAST  8

struct regs;
struct sink;

struct backtrace_frame {
    uintptr_t ip;
    enum unwind_kind kind;
    const char *trap; /* name of the trap that interrupted this frame; NULL: none, or unknown */
};

struct backtrace {
    struct backtrace_frame first[BACKTRACE_FIRST];
    struct backtrace_frame last[BACKTRACE_LAST]; /* the newest replaces the oldest */
    size_t frames;
    enum unwind_end end;
    uintptr_t user_ip; /* if the chain ends at a program */
};

void backtrace_take(struct backtrace *backtrace, const struct regs *regs);

/* Prints one line per frame and, if the chain is incomplete, why. */
void backtrace_print(const struct backtrace *backtrace, struct sink *to);
