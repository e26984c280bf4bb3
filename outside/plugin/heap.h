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

#include "outside/plugin/objects.h"
#include "outside/request.h"
#include "outside/wire.h"

/* `cpus`: the most that the machine may have. Returns what is wrong; NULL: nothing. */
const char *heap_begin(const struct request *request, unsigned cpus);

/* Registers the callbacks of an instruction that is translated. */
struct instruction;
void heap_watch_instruction(const struct instruction *instruction);

/* The call of this number, of which follow_allocates was told, returns. */
void heap_returns(unsigned cpu, uint64_t allocation);

/* The machine was reset: its heap is gone. */
void heap_reset(void);

/* At the end. */
void heap_tell(void);

/* --- The functions of the kernel's allocators: allocators.c --- */

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

/*
 * --- What is changed in the guest, if `pitot heap` is asked to: heap_change.c ---
 *
 * By the registers at an allocator's first instruction. QEMU 10.2 and later; to make no call, 11.0.
 *
 *   - A guard: the allocator is asked for more bytes, so that objects do not touch each other.
 *   - A quarantine: a call that frees is held back, and the oldest of those that are held is made
 *     in its place, with all its arguments: a size or an order is that of its own object. While
 *     there are too few, no call is made: it returns 0 at once.
 *
 * When the call returns, registers that still hold what was put there get back what they held: a
 * compiler that has seen the callee knows which registers that leaves alone.
 */

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

/*
 * --- What is wrong with the heap, and what it was made of: heap_report.c ---
 *
 * Reports with the same code on both sides (who accesses or frees, who allocated, who freed before)
 * are one, with a count.
 */

/* False: no memory. */
bool heap_report_begin(void);

/* An access to freed memory, or beside an object. */
struct heap_access {
    enum wire_heap_kind kind;
    uint64_t ip, address;
    unsigned length, access; /* as in struct wire_sample */
    struct object *object;   /* the one that was meant */
};

/* True if it is the first one of these places. */
bool heap_report_access(unsigned cpu, const struct heap_access *access);

/* An access beside an object that has enough reports. */
void heap_report_crowd(void);

/* A free of what is no live object. */
struct heap_free {
    enum wire_heap_kind kind;
    uint64_t entry, address;     /* of the allocator; what it was given */
    uint32_t context;            /* of its caller */
    const struct object *object; /* NULL: none is there */
};

void heap_report_free(unsigned cpu, const struct heap_free *free);

/* An object was allocated, `kept` if there was room for it; a live one is about to be freed. */
void heap_report_allocated(const struct object *object, bool kept);
void heap_report_freed(const struct object *object);

/* ... or was, unseen, as its memory was returned again; or went with the machine's reset. */
void heap_report_overwritten(const struct object *object);
void heap_report_gone(const struct object *object);

/* At the end. */
void heap_report_tell(void);
