/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs clients for the commands fs-stress and dbench, in new threads or the caller's. Verifies all
 * data read, and at the end that no file is left and that the files' pages are free again. One run
 * at a time; task context, interrupts on.
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
 * Runs the rounds in `threads` threads (0: the caller's), below STRESS_ROOT: `apart`, each thread
 * in its own directory, otherwise all in the first's. Returns 0, or reports an error and returns a
 * negative errno.
 */
int stress_all(unsigned threads, bool apart);

/* Reports success and how often threads waited for the kernel lock; or lost pages: -EIO. */
int stress_done(unsigned threads);
