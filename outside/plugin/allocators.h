/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions of the kernel's allocators. Called by outside/plugin/heap.c, with the plugin's
 * lock, and by translate.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "outside/request.h"

#define ALLOCATORS_SIZE_MOST (UINT64_C(1) << 40)

/* enum allocator_kind: another function of the allocators. */
#define ALLOCATOR_BELONGS 3u

void allocators_begin(const struct request *request);

/* True if there is one. Needs no lock. */
bool allocators_are_known(void);

/* Its index. */
unsigned allocators_number(const struct request_allocator *allocator);

void allocators_slide(uint64_t by);

/* Where an allocator's first instruction is. */
uint64_t allocators_entry(const struct request_allocator *allocator);

/* Returns the allocator that begins at the address; NULL: none does. Needs no lock. */
const struct request_allocator *allocators_at(uint64_t ip);

/* True if the address is in the allocators' code. Needs no lock. */
bool allocators_have(uint64_t ip);

/*
 * What is beside an object at this address is the heap's from `from` to `until`: the variable that
 * it is in, or what is between two. Needs no lock.
 */
void allocators_limits(uint64_t address, uint64_t *from, uint64_t *until);

/*
 * At an allocator's first instruction: the object that it is given, and the size that it is asked
 * for; at least ALLOCATORS_SIZE_MOST: that cannot be known.
 */
uint64_t allocators_object(unsigned cpu, const struct request_allocator *allocator);
uint64_t allocators_size(unsigned cpu, const struct request_allocator *allocator);

/*
 * When it returns: the address of what it has allocated; 0 or an error number: nothing. `given`:
 * what allocators_object has returned.
 */
uint64_t allocators_result(unsigned cpu, const struct request_allocator *allocator, uint64_t given);

/* The argument that counts what is allocated, in units of so many bytes. */
struct allocators_unit {
    uint64_t argument, bytes;
};

/* False: none does, as where that is the power of two. */
bool allocators_unit(unsigned cpu, const struct request_allocator *allocator,
                     struct allocators_unit *unit);
