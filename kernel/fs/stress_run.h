/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs the clients of kernel/fs/stress.h, in threads or in the caller's own, for the commands
 * fs-stress and dbench. All that is read is verified, and at the end that nothing is left and that
 * each page of these files is free again; of these alone, as programs and other threads take and
 * free pages meanwhile. One run at a time; task context, interrupts on.
 */
#pragma once

#include <stdbool.h>

#include "kernel/fs/stress.h"

#define STRESS_SEED 20090901

/* A decimal number from 1 to `most`, 0 for anything else: of a command's words. */
unsigned long stress_number(const char *text, unsigned long most);

/* Each thread's state; set by stress_init and by the command that runs them, before stress_all. */
#define STRESS_THREADS_MAX 20
extern struct stress stresses[STRESS_THREADS_MAX];

/*
 * So many threads (0: the caller's own is the one) make their rounds, in directories that are made
 * for it below STRESS_ROOT: all of them in those of the first, or with `apart` each in its own. 0,
 * or a negative errno after saying why.
 */
int stress_all(unsigned threads, bool apart);

/* Says that all was verified, and how long threads waited; or that pages were lost: -EIO. */
int stress_done(unsigned threads);
