/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Effects of signals on a program: a signal ends, stops or continues it. There are no handlers.
 * kernel/user/process.c sends signals.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/user/process.h"

/*
 * Records a signal (Linux's numbers; 0: none). The first fatal signal counts. The caller then wakes
 * `events` of the process, unless it is the current one. Any context, hits included.
 */
void signal_mark(struct process *process, uint8_t signal);

/* The signal that ends the process; 0: none. */
static inline uint8_t signal_ends(const struct process *process)
{
    return __atomic_load_n(&process->killed_by, __ATOMIC_ACQUIRE);
}

/* The signal that stops the process; 0: none. */
static inline uint8_t signal_stops(const struct process *process)
{
    return __atomic_load_n(&process->stopped_by, __ATOMIC_ACQUIRE);
}

/*
 * Holds the current process, which is stopped, before its return to user mode, until it is
 * continued or must end; notifies a thread that waits for it. Called and returns with interrupts
 * off; they are on in between.
 */
void signal_stand(struct process *process);

/*
 * Note that the current process is about to sleep in a call, or no longer does. Under its queue's
 * lock.
 */
void signal_note_sleep(const struct process *process);
void signal_note_wake(void);
