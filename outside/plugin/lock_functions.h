/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions by which a kernel takes its locks and gives them back, as `pitot` names them.
 * Called by kernel_locks.c, with the plugin's lock unless a function says otherwise. QEMU 9.2 and
 * later: the lock is an argument.
 *
 * A lock is taken when the function returns, and given back when it is called. What these functions
 * do with the same lock inside is their own business, as when mutex_lock takes the spin lock that a
 * mutex begins with; other locks that they take count.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "outside/request.h"

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
