/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's heap: what its allocators return and take back, and accesses to memory that is freed
 * or beside an object. QEMU 9.2 and later: arguments and results are registers. Called by
 * translate.c and run.c, with the plugin's lock unless a function says otherwise.
 *
 * Of allocators that call each other the outermost one's result is the object; an inner one's
 * memory is the allocators' own. The allocators' code knows what is beside objects: what it
 * accesses is not judged, nor what it calls.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "outside/request.h"

/* `cpus`: the most that the machine may have. Returns what is wrong; NULL: nothing. */
const char *heap_begin(const struct request *request, unsigned cpus);

/* True if there is an allocator. Needs no lock. */
bool heap_watch(void);

void heap_slide(uint64_t by);

/* Registers the callbacks of an instruction that is translated (heap_watch.c). */
struct instruction;
void heap_watch_instruction(const struct instruction *instruction);

/* The first instruction of an allocator's function runs. True if the call has to be skipped. */
bool heap_enters(unsigned cpu, uint64_t ip);

/* Then: the function returns 0 at once. Does not return. Called without the lock. */
void heap_skip(unsigned cpu, uint64_t ip);

/* The call that heap_enters has told follow_allocates of returns. */
void heap_returns(unsigned cpu, uint64_t allocation);

/* An access that is not good (objects.h). */
void heap_access(unsigned cpu, uint64_t ip, uint64_t address, unsigned length, unsigned access);

/* The machine was reset: its heap is gone. */
void heap_reset(void);

/* At the end. */
void heap_tell(void);
