/* SPDX-License-Identifier: BSD-2-Clause */
/* See heap.h. */
#include "outside/plugin/heap.h"

#include <assert.h>
#include <stdlib.h>

#include "outside/plugin/api.h"
#include "outside/plugin/registers.h"

#define GUARD_MOST 4096u /* bytes; an element of calloc's may be so large */

static unsigned guard, quarantine;

/* The arguments of a call as the caller made it, and as it is made. */
static struct change {
    uint64_t before[ARGUMENTS_MOST], after[ARGUMENTS_MOST];
} * changes; /* [call % HEAP_CALLS] */

/* A call that is held back. */
struct held {
    uint64_t object, arguments[ARGUMENTS_MOST];
};

/* Those of each function, a ring: `count` of them, the oldest at `first`. */
static struct ring {
    struct held *calls;
    unsigned first, count;
} rings[ALLOCATORS_MOST]; /* [allocators_number] */

bool heap_change_begin(const struct request *request)
{
    guard = request->heap.guard;
    quarantine = request->heap.quarantine;
    assert(guard <= GUARD_MOST && quarantine <= QUARANTINE_MOST);
    if (!heap_changes())
        return true;
    changes = calloc(HEAP_CALLS, sizeof(*changes));
    return changes;
}

const char *heap_change_wrong(void)
{
    return (heap_changes() && !registers_can_change()) || (quarantine && !registers_can_skip())
               ? "this QEMU lets plugins change no registers; 11.0 and later do"
               : NULL;
}

bool heap_changes(void)
{
    return guard > 0 || quarantine > 0;
}

int heap_change_entry_flags(void)
{
    return quarantine ? QEMU_PLUGIN_CB_RW_REGS_PC : heap_change_return_flags();
}

int heap_change_return_flags(void)
{
    return heap_changes() ? QEMU_PLUGIN_CB_RW_REGS : QEMU_PLUGIN_CB_R_REGS;
}

/* --- What registers hold --- */

static void read_arguments(unsigned cpu, uint64_t arguments[ARGUMENTS_MOST])
{
    for (unsigned i = 0; i < ARGUMENTS_MOST; i++)
        arguments[i] = registers_argument(cpu, i + 1);
}

void heap_change_enters(unsigned cpu, uint64_t call)
{
    if (heap_changes())
        read_arguments(cpu, changes[call % HEAP_CALLS].before);
}

void heap_change_entered(unsigned cpu, uint64_t call)
{
    if (heap_changes())
        read_arguments(cpu, changes[call % HEAP_CALLS].after);
}

void heap_change_returns(unsigned cpu, uint64_t call)
{
    const struct change *change = &changes[call % HEAP_CALLS];

    for (unsigned i = 0; heap_changes() && i < ARGUMENTS_MOST; i++)
        if (change->before[i] != change->after[i] &&
            registers_argument(cpu, i + 1) == change->after[i])
            registers_set_argument(cpu, i + 1, change->before[i]);
}

/* --- A guard --- */

/* An order has no room for a few bytes more, nor has a size that is the same for all. */
uint16_t heap_change_raise(unsigned cpu, const struct request_allocator *allocator, uint64_t size)
{
    struct allocators_unit unit;
    uint64_t more;

    if (!guard || size == 0 || size >= ALLOCATORS_SIZE_MOST ||
        !allocators_unit(cpu, allocator, &unit))
        return 0;
    more = (guard + unit.bytes - 1) / unit.bytes;
    if (unit.bytes > GUARD_MOST)
        return 0;
    registers_set_argument(cpu, unit.argument, size / unit.bytes + more);
    return (uint16_t)(more * unit.bytes);
}

/* In bytes or in elements. */
void heap_change_before(unsigned cpu, const struct request_allocator *allocator,
                        const struct object *object)
{
    uint64_t size;

    if (!object->guard || !allocator->before)
        return;
    size = registers_argument(cpu, allocator->before);
    registers_set_argument(cpu, allocator->before, size + size * object->guard / object->size);
}

/* --- A quarantine --- */

static void put(unsigned cpu, struct held *call, uint64_t object)
{
    call->object = object;
    read_arguments(cpu, call->arguments);
}

/* Makes the call, unless its object is no longer held: realloc was given it, or it is another. */
static bool make(unsigned cpu, const struct held *call)
{
    struct object *object = objects_at(call->object);

    if (!object || !object->held)
        return false;
    object->held = false;
    for (unsigned i = 0; i < ARGUMENTS_MOST; i++)
        registers_set_argument(cpu, i + 1, call->arguments[i]);
    return true;
}

bool heap_change_free(unsigned cpu, const struct request_allocator *allocator,
                      struct object *object)
{
    struct ring *ring = &rings[allocators_number(allocator)];
    struct held oldest;

    if (!quarantine)
        return true;
    if (!ring->calls)
        ring->calls = calloc(quarantine, sizeof(*ring->calls));
    if (!ring->calls)
        return true;
    assert(!object->live && !object->held && ring->count <= quarantine);
    object->held = true;
    if (ring->count < quarantine) {
        put(cpu, &ring->calls[(ring->first + ring->count++) % quarantine], object->start);
        return false;
    }
    oldest = ring->calls[ring->first];
    put(cpu, &ring->calls[ring->first], object->start);
    ring->first = (ring->first + 1) % quarantine;
    return make(cpu, &oldest);
}

void heap_change_reset(void)
{
    for (unsigned i = 0; i < ALLOCATORS_MOST; i++)
        rings[i].first = rings[i].count = 0;
}
