/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A call chain as text, for a person: taken at once, so that a caller that holds a thread or the
 * other CPUs still can release them before it is printed. Any context, a crash included; allocates
 * nothing.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/unwind/unwind.h"

/* A chain that is longer than both together has its first and its last frames printed. */
#define BACKTRACE_FIRST 24
#define BACKTRACE_LAST  8

struct regs;
struct sink;

struct backtrace_frame {
    uintptr_t ip;
    enum unwind_kind kind;
    const char *trap; /* the name of what came here; NULL: nothing did, or it is not known */
};

struct backtrace {
    struct backtrace_frame first[BACKTRACE_FIRST];
    struct backtrace_frame last[BACKTRACE_LAST]; /* the newest replaces the oldest */
    size_t frames;
    enum unwind_end end;
    uintptr_t user_ip; /* of the program that entered the kernel, if that is the end */
};

/* The chain from `regs`. */
void backtrace_take(struct backtrace *backtrace, const struct regs *regs);

/* One line a frame, and why the chain ends where it ends, if it is not whole. */
void backtrace_print(const struct backtrace *backtrace, struct sink *to);
