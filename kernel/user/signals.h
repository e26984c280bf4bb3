/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a signal does to a program: it ends it, stops it, or lets it continue. There are no
 * handlers. kernel/user/process.c sends them.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/user/process.h"

/*
 * Notes it (Linux's numbers; 0 is none). If several end it, the first counts. The caller wakes its
 * `events` after that, unless the process is the current one. Any context, hits included.
 */
void signal_mark(struct process *process, uint8_t signal);

/* It is to end, by this; 0: it is not. */
static inline uint8_t signal_ends(const struct process *process)
{
    return __atomic_load_n(&process->killed_by, __ATOMIC_ACQUIRE);
}

/* It is to stand still, by this; 0: it is not. */
static inline uint8_t signal_stops(const struct process *process)
{
    return __atomic_load_n(&process->stopped_by, __ATOMIC_ACQUIRE);
}

/*
 * The current process, which is stopped, stands still in front of user mode until it is not, or is
 * to end; a thread that waits for it is told. Interrupts off, also after it, and on in between.
 */
void signal_stand(struct process *process);

/* The current one is about to sleep in a call; and does no more. Under its queue's lock. */
void signal_note_sleep(const struct process *process);
void signal_note_wake(void);
