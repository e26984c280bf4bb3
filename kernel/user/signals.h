/* SPDX-License-Identifier: BSD-2-Clause */
/* What signals do to a program: end, stop or continue it. There are no handlers. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/user/process.h"

/*
 * Records a signal (Linux's numbers; 0 has no effect). The first fatal signal counts. The caller
 * then wakes the process's `events`, unless that is the current process. Any context, hits
 * included.
 */
void signal_mark(struct process *process, uint8_t signal);

/* Returns the signal that ends the process; 0: none. */
static inline uint8_t signal_ends(const struct process *process)
{
    return __atomic_load_n(&process->killed_by, __ATOMIC_ACQUIRE);
}

/* Returns the signal that stops the process; 0: none. */
static inline uint8_t signal_stops(const struct process *process)
{
    return __atomic_load_n(&process->stopped_by, __ATOMIC_ACQUIRE);
}

/*
 * Holds the current process, which is stopped, until it is continued or must end. Makes the console
 * check its condition if it waits for the process. Interrupts are off before and after, on in
 * between.
 */
void signal_stand(struct process *process);
