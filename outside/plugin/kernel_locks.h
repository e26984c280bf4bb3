/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The locks of the kernel that is watched: what runs for held.h, for functions of locks and for
 * locks by sight (lock_seen.h). QEMU 9.2 and later. Called by judges.c and facts_values.c, with the
 * plugin's lock, if run.locks.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "outside/plugin/facts.h"
#include "outside/request.h"

/* Once, before the machine runs. False: no memory. */
bool kernel_locks_begin(const struct request *request);

/* Registers the instruction's callbacks, if there are any. */
void kernel_locks_watch(const struct instruction *instruction);

/* The instruction at `ip`, iret or a handler's first one, has made these rflags. */
void kernel_locks_flags(unsigned cpu, uint64_t ip, uint64_t flags);

/* True if the interrupts of this CPU are known to be on. */
bool kernel_locks_are_open(unsigned cpu);

/* The machine was reset. */
void kernel_locks_reset(void);

/* At the end. */
void kernel_locks_tell(void);

/*
 * --- The functions by which a kernel takes its locks, as `pitot` names them: lock_functions.c ---
 *
 * The lock is an argument. It is taken when the function returns, and given back when it is called.
 * What these functions do with the same lock inside is their own business, as when mutex_lock takes
 * the spin lock that a mutex begins with; other locks that they take count.
 */

/* After all that it needs. False: no memory. */
bool lock_functions_begin(const struct request *request);

void lock_functions_slide(uint64_t by);

/* True if such a function begins at this address. Needs no lock. */
bool lock_functions_have(uint64_t ip);

/* The first instruction of such a function runs. */
void lock_functions_enter(unsigned cpu, uint64_t ip);

/* The call that lock_functions_enter has told follow_allocates of returns. */
void lock_functions_return(unsigned cpu, uint64_t number);

/* The machine was reset. */
void lock_functions_reset(void);

/* At the end: sends the calls that wait for a lock which is held. */
void lock_functions_tell(void);
