/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The locks of the kernel that is watched: what runs for held.h, lock_functions.h and masked.h.
 * QEMU 9.2 and later. Called by plugin.c, translate.c and run.c, with the plugin's lock, if
 * run.locks.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "outside/plugin/facts.h"
#include "outside/request.h"

/* Once, before the machine runs. False: no memory. */
bool kernel_locks_begin(const struct request *request);

void kernel_locks_slide(uint64_t by);

/* Registers the instruction's callbacks, if there are any. */
void kernel_locks_watch(const struct instruction *instruction);

/* Before and after the CPU may have gone to another thread. */
void kernel_locks_before_switch(unsigned cpu);
void kernel_locks_after_switch(unsigned cpu);

/* The call of a function of locks returns, which has this number (follow_allocates). */
void kernel_locks_return(unsigned cpu, uint64_t number);

/* The instruction at `ip`, iret or a handler's first one, has made these rflags. */
void kernel_locks_flags(unsigned cpu, uint64_t ip, uint64_t flags);

/* The machine was reset. */
void kernel_locks_reset(void);

/* At the end. */
void kernel_locks_tell(void);
