/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What `pitot heap` changes in the guest, if it is asked to, by the registers at an allocator's
 * first instruction. QEMU 10.2 and later; to make no call, 11.0. Called by outside/plugin/heap.c,
 * with the plugin's lock.
 *
 *   - A guard: the allocator is asked for more bytes, so that objects do not touch each other.
 *   - A quarantine: a call that frees is held back, and the oldest of those that are held is made
 *     in its place, with all its arguments: a size or an order is that of its own object. While
 *     there are too few, no call is made: it returns 0 at once.
 *
 * When the call returns, registers that still hold what was put there get back what they held: a
 * compiler that has seen the callee knows which registers that leaves alone.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "outside/plugin/allocators.h"
#include "outside/plugin/objects.h"

/* False: no memory. */
bool heap_change_begin(const struct request *request);

/* What is wrong with this QEMU; NULL: nothing. `pitot` has asked its version. */
const char *heap_change_wrong(void);

/* Return what callbacks at an allocator's first instruction, and at returns, may do. No lock. */
int heap_change_entry_flags(void);
int heap_change_return_flags(void);

/* True if the kernel is changed. */
bool heap_changes(void);

/*
 * A call begins; what follows has changed it; it returns. `call` is its number, of which HEAP_CALLS
 * are distinguished.
 */
#define HEAP_CALLS 65536u
void heap_change_enters(unsigned cpu, uint64_t call);
void heap_change_entered(unsigned cpu, uint64_t call);
void heap_change_returns(unsigned cpu, uint64_t call);

/* The allocator is asked for `size` bytes: asks for more. Returns how many more. */
uint16_t heap_change_raise(unsigned cpu, const struct request_allocator *allocator, uint64_t size);

/* The allocator is given the object and, perhaps, its size: that is what it was asked for. */
void heap_change_before(unsigned cpu, const struct request_allocator *allocator,
                        const struct object *object);

/* The allocator frees the object, or an older one. False: nothing; the call has to be skipped. */
bool heap_change_free(unsigned cpu, const struct request_allocator *allocator,
                      struct object *object);

/* The machine was reset: nothing is held back. */
void heap_change_reset(void);
