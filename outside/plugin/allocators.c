/* SPDX-License-Identifier: BSD-2-Clause */
/* See heap.h. */
#include "outside/plugin/heap.h"

#include <assert.h>
#include <stddef.h>

#include "outside/plugin/named.h"
#include "outside/plugin/registers.h"

static const struct request_allocator *allocators;
static unsigned allocator_count;
static const struct request_allocator belonging = {.kind = ALLOCATOR_BELONGS};
static struct ranges code, variables; /* the allocators' code, the kernel's variables */
static uint64_t slide;

void allocators_begin(const struct request *request)
{
    assert(request->heap.allocator_count <= ALLOCATORS_MOST);
    allocators = request->heap.allocators;
    allocator_count = request->heap.allocator_count;
    code = ranges_of(request, request->heap.code);
    variables = ranges_of(request, request->heap.variables);
}

bool allocators_are_known(void)
{
    return allocator_count > 0;
}

unsigned allocators_number(const struct request_allocator *allocator)
{
    assert(allocator >= allocators && allocator < allocators + allocator_count);
    return (unsigned)(allocator - allocators);
}

void allocators_slide(uint64_t by)
{
    slide += by;
}

uint64_t allocators_entry(const struct request_allocator *allocator)
{
    return allocator->entry + slide;
}

/* --- The allocators' code --- */

const struct request_allocator *allocators_at(uint64_t ip)
{
    const struct range *range = ranges_find(&code, ip - slide);

    for (unsigned i = 0; i < allocator_count; i++)
        if (allocators[i].entry == ip - slide)
            return &allocators[i];
    return range && range->first == ip - slide ? &belonging : NULL;
}

bool allocators_have(uint64_t ip)
{
    return ranges_find(&code, ip - slide);
}

void allocators_limits(uint64_t address, uint64_t *from, uint64_t *until)
{
    uint64_t in_file = address - slide;
    size_t index = ranges_before(&variables, in_file);
    const struct range *next = index < variables.count ? &variables.range[index] : NULL;
    bool within = next && next->first <= in_file;

    *from = within ? next->first + slide : index > 0 ? variables.range[index - 1].end + slide : 0;
    *until = within ? next->end + slide : next ? next->first + slide : UINT64_MAX;
}

/* --- Arguments of the functions --- */

static uint64_t value_of(unsigned cpu, uint64_t number)
{
    return request_is_argument(number) ? registers_argument(cpu, number) : number;
}

static uint64_t field_at(unsigned cpu, const struct request_allocator *allocator)
{
    uint64_t place = value_of(cpu, allocator->sizes[0]) + allocator->sizes[1], size = 0;

    assert(allocator->width <= sizeof(size));
    return registers_memory(cpu, place, &size, allocator->width) ? size : ALLOCATORS_SIZE_MOST;
}

uint64_t allocators_size(unsigned cpu, const struct request_allocator *allocator)
{
    uint64_t a = value_of(cpu, allocator->sizes[0]), b = value_of(cpu, allocator->sizes[1]);
    uint64_t size = a;

    if (allocator->size == ALLOCATOR_FIELD)
        return field_at(cpu, allocator);
    if (allocator->size == ALLOCATOR_SHIFT)
        return b < 40 && a <= ALLOCATORS_SIZE_MOST >> b ? a << b : ALLOCATORS_SIZE_MOST;
    if (allocator->size == ALLOCATOR_PRODUCT && __builtin_mul_overflow(a, b, &size))
        return ALLOCATORS_SIZE_MOST;
    return size;
}

uint64_t allocators_object(unsigned cpu, const struct request_allocator *allocator)
{
    return value_of(cpu, allocator->object);
}

uint64_t allocators_result(unsigned cpu, const struct request_allocator *allocator, uint64_t given)
{
    uint64_t returned = registers_general(cpu, REGISTERS_AX), stored;

    if (allocator->kind != ALLOCATOR_ALLOCATES || !allocator->object)
        return returned;
    return (uint32_t)returned == 0 && registers_memory(cpu, given, &stored, sizeof(stored)) ? stored
                                                                                            : 0;
}

bool allocators_unit(unsigned cpu, const struct request_allocator *allocator,
                     struct allocators_unit *unit)
{
    unsigned counts = request_is_argument(allocator->sizes[0]) ? 0 : 1;
    uint64_t other = value_of(cpu, allocator->sizes[!counts]);

    *unit = (struct allocators_unit){allocator->sizes[counts], allocator->size == ALLOCATOR_SAME ? 1
                                                               : allocator->size == ALLOCATOR_SHIFT
                                                                   ? UINT64_C(1) << other % 64
                                                                   : other};
    return request_is_argument(unit->argument) && unit->bytes > 0 &&
           allocator->size != ALLOCATOR_FIELD &&
           (counts == 0 || allocator->size == ALLOCATOR_PRODUCT);
}
