/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's heap: what its allocators return and take back, and accesses to memory that is freed
 * or beside an object. QEMU 9.2 and later: arguments and results are registers. Called by
 * translate.c and run.c, with the plugin's lock unless a function says otherwise.
 *
 * Arguments of the plugin, which `pitot` writes (outside/pitot/heap.c), numbers in hexadecimal:
 *
 *     alloc=ENTRY:FAMILY:A:OPERATION:B   returns an object. Its size: A and B are arguments of the
 *                                        function from 1 to 6, or greater numbers; OPERATION
 *                                        0: A; 1: A * B; 2: A << B
 *     realloc=ENTRY:FAMILY:P:SIZE        returns the object P, an argument, with another size
 *     free=ENTRY:FAMILY:P                takes back the object P
 *     allocator=PATH                     lines FIRST:END, sorted: the allocators' functions, these
 *                                        and others. They know what is beside objects: what they
 *                                        access is not judged, nor what they call
 *
 * FAMILY: 1 to ff: who allocates frees; 0: any. Of allocators that call each other the outermost
 * one's result is the object; an inner one's memory is the allocators' own.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Takes an argument, and sets *wrong to what is wrong with it, or NULL. False: another argument. */
bool heap_argument(const char *argument, const char **wrong);

/* True if there is such an argument. Needs no lock. */
bool heap_watch(void);

/* Once, the most CPUs that the machine may have. */
void heap_cpus(unsigned count);

void heap_slide(uint64_t by);

/* True if a function of the allocators begins at this address. Needs no lock. */
bool heap_begins(uint64_t ip);

/* True if accesses of the instruction are judged: it is the kernel's, and no allocator's. */
bool heap_judges(uint64_t ip);

/* The first instruction of such a function runs. */
void heap_enters(unsigned cpu, uint64_t ip);

/* The call that heap_enters has told follow_allocates of returns. */
void heap_returns(unsigned cpu, uint64_t allocation);

/* An access that is not good (objects.h). */
void heap_access(unsigned cpu, uint64_t ip, uint64_t address, unsigned length, unsigned access);

/* The machine was reset: its heap is gone. */
void heap_reset(void);

/* At the end. */
void heap_tell(void);
