/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs the clients of kernel/fs/stress.h for the commands fs-stress and dbench, in new threads or
 * in the caller's. All data read is verified, and at the end that no file is left and that every
 * page of these files is free again. Only their pages are counted, as programs and other threads
 * allocate and free pages meanwhile. One run at a time; task context, interrupts on.
 */
#pragma once

#include <stdbool.h>

#include "kernel/fs/stress.h"

#define STRESS_SEED 20090901

/* Parses a command's argument: a decimal number from 1 to `most`, or 0 for anything else. */
unsigned long stress_number(const char *text, unsigned long most);

/* State of each thread, set by stress_init and by the command before stress_all. */
#define STRESS_THREADS_MAX 20
extern struct stress stresses[STRESS_THREADS_MAX];

/*
 * Runs the rounds in `threads` threads (0: in the caller's thread), in directories made for the run
 * below STRESS_ROOT: all threads share those of the first, or with `apart` each has its own.
 * Returns 0, or reports the error and returns a negative errno.
 */
int stress_all(unsigned threads, bool apart);

/* Reports success and how often threads waited for the kernel lock; or lost pages: -EIO. */
int stress_done(unsigned threads);
