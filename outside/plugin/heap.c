/* SPDX-License-Identifier: BSD-2-Clause */
/* See heap.h. */
#include "outside/plugin/heap.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "outside/plugin/clock.h"
#include "outside/plugin/context.h"
#include "outside/plugin/follow.h"
#include "outside/plugin/heap_report.h"
#include "outside/plugin/objects.h"
#include "outside/plugin/registers.h"

#define CALLS       65536u /* calls of allocators that have not returned; a power of two */
#define SIZE_MOST   (UINT64_C(1) << 40)
#define ERROR_FIRST (-UINT64_C(4095)) /* addresses from here on are error numbers */
#define RECENTS     64u
#define TOLD_MOST   4 /* reports of one object: more suggest an allocator that is not known */

#define BELONGS 3u /* enum allocator_kind: another function of the allocators */

/* A call of an allocator. */
struct call {
    uint64_t number;
    const struct request_allocator *allocator;
    uint64_t object, size;
    struct touch by;
    struct touch made; /* of `object`, if it was there; time 0: it was not */
    bool inner;
};

struct range {
    uint64_t first, end;
};

static const struct request_allocator *allocators;
static unsigned allocator_count;
static const struct request_allocator belonging = {.kind = BELONGS};
static const struct range *ranges; /* the allocators' code, sorted */
static size_t range_count;
static uint64_t slide;
static struct call *calls; /* [number % CALLS]; number 0: free */
static uint64_t call_count;

/*
 * The CPUs' clocks at the last frees. QEMU reports an access after it was made: meanwhile another
 * CPU may have freed the object, as when the last but one gives a reference back.
 */
static struct recent {
    struct touch by;
    uint64_t start, times[FOLLOW_CPUS];
} recents[RECENTS];
static unsigned recent_count, cpu_count;

bool heap_begin(const struct request *request, unsigned cpus)
{
    assert(request->heap.allocator_count <= ALLOCATORS_MOST);
    cpu_count = cpus < FOLLOW_CPUS ? cpus : FOLLOW_CPUS;
    allocators = request->heap.allocators;
    allocator_count = request->heap.allocator_count;
    ranges = (const void *)&request->addresses[request->heap.code.first];
    range_count = request->heap.code.count / 2;
    if (!heap_watch())
        return true;
    calls = calloc(CALLS, sizeof(*calls));
    return calls && objects_begin() && heap_report_begin();
}

bool heap_watch(void)
{
    return allocator_count > 0;
}

void heap_slide(uint64_t by)
{
    slide += by;
}

/* --- The allocators' code --- */

/* Returns the range of the allocators' code that holds the address; NULL: none does. */
static const struct range *range_of(uint64_t ip)
{
    size_t low = 0, high = range_count;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (ranges[middle].end <= ip - slide)
            low = middle + 1;
        else
            high = middle;
    }
    return low == range_count || ip - slide < ranges[low].first ? NULL : &ranges[low];
}

/* Returns the allocator that begins at the address; NULL: none does. */
static const struct request_allocator *allocator_at(uint64_t ip)
{
    const struct range *range = range_of(ip);

    for (unsigned i = 0; i < allocator_count; i++)
        if (allocators[i].entry == ip - slide)
            return &allocators[i];
    return range && range->first == ip - slide ? &belonging : NULL;
}

bool heap_begins(uint64_t ip)
{
    return allocator_at(ip);
}

bool heap_judges(uint64_t ip)
{
    return !range_of(ip);
}

/* --- Calls of allocators --- */

static uint64_t argument_of(unsigned cpu, uint64_t number)
{
    return number == 0 ? 0 : number > ARGUMENTS_MOST ? number : registers_argument(cpu, number);
}

static uint64_t size_of(unsigned cpu, const struct request_allocator *allocator)
{
    uint64_t a = argument_of(cpu, allocator->sizes[0]), b = argument_of(cpu, allocator->sizes[1]);
    uint64_t size = a;

    if (allocator->size == ALLOCATOR_SHIFT)
        return b < 40 && a <= SIZE_MOST >> b ? a << b : SIZE_MOST;
    if (allocator->size == ALLOCATOR_PRODUCT && __builtin_mul_overflow(a, b, &size))
        return SIZE_MOST;
    return size;
}

static bool is_family(const struct object *object, const struct request_allocator *allocator)
{
    return object->family == allocator->family || !object->family || !allocator->family;
}

static void free_object(struct object *object, struct touch by)
{
    struct recent *recent = &recents[recent_count++ % RECENTS];

    recent->by = by;
    recent->start = object->start;
    for (unsigned cpu = 0; cpu < cpu_count; cpu++)
        recent->times[cpu] = clock_time(cpu);
    heap_report_freed(object);
    objects_free(object, by);
}

/* True if the object was freed while the CPU's block runs: the access may have been before. */
static bool is_just_freed(unsigned cpu, const struct object *object)
{
    for (unsigned i = 0; i < RECENTS; i++)
        if (recents[i].start == object->start && recents[i].by.cpu == object->freed.cpu &&
            recents[i].by.time == object->freed.time)
            return object->freed.cpu != cpu && recents[i].times[cpu] == clock_time(cpu);
    return false;
}

/* Tells of a pointer that is no live object of its allocator. `object` begins there; NULL: none. */
static void report_wrong(unsigned cpu, const struct call *call, const struct object *object)
{
    const struct request_allocator *allocator = call->allocator;
    struct heap_free free = {
        .entry = allocator->entry + slide, .address = call->object, .context = call->by.context};

    if (object && ((object->live && is_family(object, allocator)) || object->size == 0))
        return; /* an object of no bytes may be the same one each time */
    free.object = object ? object : objects_with(call->object);
    free.kind = !free.object         ? WIRE_HEAP_NO_OBJECT
                : !free.object->live ? WIRE_HEAP_TWICE
                : object             ? WIRE_HEAP_FOREIGN
                                     : WIRE_HEAP_MIDDLE;
    heap_report_free(cpu, &free);
}

static void take_back(unsigned cpu, const struct call *call)
{
    struct object *object = objects_at(call->object);

    report_wrong(cpu, call, object);
    if (object && object->live)
        free_object(object, call->by);
}

/*
 * Returns the number of a free place in `calls`. A call may last while others come and go by the
 * million. If all are taken, by calls that were left without a return, the next one gives way.
 */
static uint64_t new_call(void)
{
    for (unsigned i = 0; i < CALLS && calls[++call_count % CALLS].number; i++)
        ;
    return call_count;
}

/* When what `realloc` was given was allocated; time 0: it is no live object. */
static struct touch made_at(unsigned cpu, const struct call *call)
{
    const struct object *object = objects_at(call->object);

    report_wrong(cpu, call, object);
    return object && object->live ? object->allocated : (struct touch){.time = 0};
}

static void enter(unsigned cpu, const struct request_allocator *allocator)
{
    struct call call = {.number = allocator->kind == ALLOCATOR_FREES ? 0 : new_call(),
                        .allocator = allocator,
                        .object = argument_of(cpu, allocator->object),
                        .by = {.cpu = cpu, .time = clock_time(cpu), .context = follow_context(cpu)},
                        .inner = follow_is_inside(cpu)};

    if (!follow_allocates(cpu, registers_general(cpu, REGISTERS_SP), allocator->entry + slide,
                          call.number))
        return;
    if (allocator->kind == ALLOCATOR_FREES && !call.inner && call.object)
        take_back(cpu, &call);
    if (allocator->kind == ALLOCATOR_FREES)
        return;
    call.size = size_of(cpu, allocator);
    if (allocator->kind == ALLOCATOR_REALLOCATES && !call.inner && call.object)
        call.made = made_at(cpu, &call);
    calls[call.number % CALLS] = call;
}

void objects_overwritten(const struct object *object)
{
    heap_report_overwritten(object);
}

void heap_enters(unsigned cpu, uint64_t ip)
{
    const struct request_allocator *allocator = allocator_at(ip);

    if (!allocator) /* the kernel has moved since */
        return;
    if (allocator->kind != BELONGS)
        enter(cpu, allocator);
    else if (!follow_is_inside(cpu))
        follow_allocates(cpu, registers_general(cpu, REGISTERS_SP), ip, 0);
}

/* An object whose size cannot be known, as of an argument of 32 bits, is one of no bytes. */
static void add(const struct call *call, uint64_t address)
{
    struct object object = {.start = address,
                            .size = call->size < SIZE_MOST ? call->size : 0,
                            .allocated = call->by,
                            .family = (uint8_t)call->allocator->family};

    heap_report_allocated(&object, objects_add(&object));
}

/*
 * `realloc` returns: what it was given is gone, unless it failed. Its memory may be another's by
 * now, which was allocated later.
 */
static void give_up(const struct call *call, uint64_t address)
{
    struct object *before = objects_at(call->object);

    if (!call->made.time || (!address && call->size > 0) || !before || !before->live ||
        before->allocated.time != call->made.time || before->allocated.cpu != call->made.cpu)
        return;
    if (address != call->object) {
        free_object(before, call->by);
        return;
    }
    heap_report_freed(before);
    objects_replace(before);
}

void heap_returns(unsigned cpu, uint64_t allocation)
{
    struct call *place = &calls[allocation % CALLS];
    const struct call call = *place;
    uint64_t address = registers_general(cpu, REGISTERS_AX);

    if (address >= ERROR_FIRST)
        address = 0;
    if (call.number != allocation)
        return;
    place->number = 0;
    if (call.inner) {
        if (address && call.size < SIZE_MOST)
            objects_forget(address, call.size);
        return;
    }
    if (call.allocator->kind == ALLOCATOR_REALLOCATES)
        give_up(&call, address);
    if (address)
        add(&call, address);
}

/* --- Accesses --- */

/*
 * An aligned read of which a part is an object's: strlen and its like read whole words, and drop
 * what is beside the string.
 */
static bool is_wide_read(uint64_t address, unsigned length, unsigned access)
{
    if (access != WIRE_READ || address % length != 0)
        return false;
    for (unsigned i = 0; i < length; i++)
        if (objects_are_good(address + i, 1))
            return true;
    return false;
}

void heap_access(unsigned cpu, uint64_t ip, uint64_t address, unsigned length, unsigned access)
{
    struct heap_access bad = {.ip = ip, .address = address, .length = length, .access = access};

    if (objects_are_good(address, length) || follow_is_inside(cpu) ||
        is_wide_read(address, length, access))
        return;
    bad.object = objects_with(address);
    bad.kind = bad.object && !bad.object->live ? WIRE_HEAP_FREED : WIRE_HEAP_BESIDE;
    if (!bad.object)
        bad.object = objects_near(address);
    if (!bad.object || context_at(follow_context(cpu))->unknown ||
        (bad.kind == WIRE_HEAP_FREED && is_just_freed(cpu, bad.object)))
        return;
    if (bad.object->told == TOLD_MOST)
        heap_report_crowd();
    else
        bad.object->told += heap_report_access(cpu, &bad);
}

void heap_reset(void)
{
    if (!heap_watch())
        return;
    objects_each(heap_report_gone);
    objects_reset();
    memset(calls, 0, CALLS * sizeof(*calls));
}

void heap_tell(void)
{
    if (heap_watch())
        heap_report_tell();
}
