/* SPDX-License-Identifier: BSD-2-Clause */
/* See heap.h. */
#include "outside/plugin/heap.h"

#include <stdlib.h>
#include <string.h>

#include "outside/plugin/clock.h"
#include "outside/plugin/code.h"
#include "outside/plugin/context.h"
#include "outside/plugin/follow.h"
#include "outside/plugin/registers.h"
#include "outside/plugin/run.h"

#define ERROR_FIRST (-UINT64_C(4095)) /* addresses from here on are error numbers */
#define RECENTS     64u
#define TOLD_MOST   4 /* reports of one object: more suggest an allocator that is not known */

/* A call of an allocator. */
struct call {
    uint64_t number;
    const struct request_allocator *allocator;
    uint64_t object, size;
    struct touch by;
    struct touch made; /* of `object`, if it was there; time 0: it was not */
    uint16_t guard;
    bool inner;
};

static struct call *calls; /* that have not returned: [number % HEAP_CALLS]; number 0: free */
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

const char *heap_begin(const struct request *request, unsigned cpus)
{
    cpu_count = cpus < FOLLOW_CPUS ? cpus : FOLLOW_CPUS;
    allocators_begin(request);
    if (!allocators_are_known())
        return NULL;
    calls = calloc(HEAP_CALLS, sizeof(*calls));
    if (!calls || !objects_begin() || !heap_report_begin() || !heap_change_begin(request))
        return "out of memory";
    return heap_change_wrong();
}

/* --- Calls of allocators --- */

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
        .entry = allocators_entry(allocator), .address = call->object, .context = call->by.context};

    if (object && ((object->live && is_family(object, allocator)) || object->size == 0))
        return; /* an object of no bytes may be the same one each time */
    free.object = object ? object : objects_with(call->object);
    free.kind = !free.object         ? WIRE_HEAP_NO_OBJECT
                : !free.object->live ? WIRE_HEAP_TWICE
                : object             ? WIRE_HEAP_FOREIGN
                                     : WIRE_HEAP_MIDDLE;
    heap_report_free(cpu, &free);
}

/* Returns false if the call must not be made: an object that is held back will be freed later. */
static bool take_back(unsigned cpu, const struct call *call)
{
    struct object *object = objects_at(call->object);

    report_wrong(cpu, call, object);
    if (!object || !object->live)
        return !object || !object->held;
    free_object(object, call->by);
    heap_change_before(cpu, call->allocator, object);
    return heap_change_free(cpu, call->allocator, object);
}

/*
 * Returns the number of a free place in `calls`. A call may last while others come and go by the
 * million. If all are taken, by calls that were left without a return, the next one gives way.
 */
static uint64_t new_call(void)
{
    for (unsigned i = 0; i < HEAP_CALLS && calls[++call_count % HEAP_CALLS].number; i++)
        ;
    return call_count;
}

/* When what `realloc` was given was allocated; time 0: it is no live object. */
static struct touch made_at(unsigned cpu, const struct call *call)
{
    struct object *object = objects_at(call->object);

    report_wrong(cpu, call, object);
    if (!object)
        return (struct touch){.time = 0};
    object->held = false; /* its allocator learns of it now */
    heap_change_before(cpu, call->allocator, object);
    object->moves = object->live;
    return object->live ? object->allocated : (struct touch){.time = 0};
}

/* Its arguments lead to an object, or are changed. Returns false if the call must not be made. */
static bool begin(unsigned cpu, struct call *call)
{
    if (call->allocator->kind == ALLOCATOR_FREES)
        return call->inner || !call->object || take_back(cpu, call);
    call->size = allocators_size(cpu, call->allocator);
    if (call->inner)
        return true;
    if (call->allocator->kind == ALLOCATOR_REALLOCATES && call->object)
        call->made = made_at(cpu, call);
    call->guard = heap_change_raise(cpu, call->allocator, call->size);
    return true;
}

/* Returns false if the call must not be made. */
static bool enter(unsigned cpu, const struct request_allocator *allocator)
{
    struct call call = {.number =
                            allocator->kind == ALLOCATOR_FREES && !heap_changes() ? 0 : new_call(),
                        .allocator = allocator,
                        .object = allocators_object(cpu, allocator),
                        .by = {.cpu = cpu, .time = clock_time(cpu), .context = follow_context(cpu)},
                        .inner = follow_is_inside(cpu)};
    bool made;

    if (!follow_allocates(cpu, registers_general(cpu, REGISTERS_SP), allocators_entry(allocator),
                          call.number))
        return true;
    if (!call.number)
        return begin(cpu, &call);
    heap_change_enters(cpu, call.number);
    made = begin(cpu, &call);
    heap_change_entered(cpu, call.number);
    calls[call.number % HEAP_CALLS] = call;
    return made;
}

void objects_overwritten(const struct object *object)
{
    if (object->moves)
        heap_report_freed(object);
    else
        heap_report_overwritten(object);
}

void objects_limits(uint64_t address, uint64_t *from, uint64_t *until)
{
    allocators_limits(address, from, until);
}

/* The first instruction of an allocator's function runs. True if the call has to be skipped. */
static bool enter_at(unsigned cpu, uint64_t ip)
{
    const struct request_allocator *allocator = allocators_at(ip);

    if (!allocator) /* the kernel has moved since */
        return false;
    if (allocator->kind != ALLOCATOR_BELONGS)
        return !enter(cpu, allocator);
    if (!follow_is_inside(cpu))
        follow_allocates(cpu, registers_general(cpu, REGISTERS_SP), ip, 0);
    return false;
}

/* Then: the function returns 0 at once. Does not return. Called without the lock. */
static void skip(unsigned cpu, uint64_t ip)
{
    uint64_t place = registers_general(cpu, REGISTERS_SP), next;

    if (!registers_memory(cpu, place, &next, sizeof(next)))
        return;
    run_return(cpu, place, ip);
    registers_set_general(cpu, REGISTERS_AX, 0);
    registers_set_general(cpu, REGISTERS_SP, place + sizeof(next));
    registers_continue_at(next);
}

/* An object whose size cannot be known, as of an argument of 32 bits, is one of no bytes. */
static void add(const struct call *call, uint64_t address)
{
    struct object object = {.start = address,
                            .size = call->size < ALLOCATORS_SIZE_MOST ? call->size : 0,
                            .allocated = call->by,
                            .guard = call->guard,
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

    if (!call->made.time || !before || !before->live || before->allocated.time != call->made.time ||
        before->allocated.cpu != call->made.cpu)
        return;
    before->moves = false;
    if (!address && call->size > 0)
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
    struct call *place = &calls[allocation % HEAP_CALLS];
    const struct call call = *place;
    uint64_t address;

    if (call.number != allocation)
        return;
    address = allocators_result(cpu, call.allocator, call.object);
    if (address >= ERROR_FIRST)
        address = 0;
    place->number = 0;
    heap_change_returns(cpu, allocation);
    if (call.allocator->kind == ALLOCATOR_FREES)
        return;
    if (call.inner) {
        if (address && call.size < ALLOCATORS_SIZE_MOST)
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
        if (heap_words_are_good(address + i, 1))
            return true;
    return false;
}

/* An access that is not good (objects.h). */
static void on_bad_access(unsigned cpu, uint64_t ip, uint64_t address, unsigned length,
                          unsigned access)
{
    struct heap_access bad = {.ip = ip, .address = address, .length = length, .access = access};

    if (heap_words_are_good(address, length) || follow_is_inside(cpu) ||
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
    if (!allocators_are_known())
        return;
    objects_each(heap_report_gone);
    objects_reset();
    heap_change_reset();
    memset(calls, 0, HEAP_CALLS * sizeof(*calls));
}

void heap_tell(void)
{
    if (allocators_are_known())
        heap_report_tell();
}

/* --- What runs --- */

__attribute__((noinline)) static void judge(unsigned cpu, qemu_plugin_meminfo_t info,
                                            uint64_t address, uint64_t ip)
{
    unsigned length = 1u << qemu_plugin_mem_size_shift(info);

    if (heap_words_are_good(address, length))
        return;
    if (run_take(cpu))
        on_bad_access(cpu, ip, address, length,
                      qemu_plugin_mem_is_store(info) ? WIRE_WRITE : WIRE_READ);
    plugin_unlock();
}

static void on_access(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void *own)
{
    if (__builtin_expect(!heap_words_are_plain(address), 0))
        judge(cpu, info, address, (uintptr_t)own);
}

static void on_allocator(unsigned cpu, void *own)
{
    bool skips = run_take(cpu) && enter_at(cpu, (uintptr_t)own);

    plugin_unlock();
    if (skips)
        skip(cpu, (uintptr_t)own);
}

void heap_watch_instruction(const struct instruction *instruction)
{
    const struct code *code = instruction->code;
    uint64_t ip = code->ip;

    if (!allocators_are_known() || !code_is_kernels(ip))
        return;
    if (allocators_at(ip))
        qemu_plugin_register_vcpu_insn_exec_cb(instruction->qemu, on_allocator,
                                               heap_change_entry_flags(), (void *)(uintptr_t)ip);
    if (!decode_is_of_stack(code->kind, code->target) && !decode_is_fixed(instruction->bytes) &&
        !allocators_have(ip))
        qemu_plugin_register_vcpu_mem_cb(instruction->qemu, on_access, QEMU_PLUGIN_CB_NO_REGS,
                                         decode_is_call(code->kind) ? QEMU_PLUGIN_MEM_R
                                                                    : QEMU_PLUGIN_MEM_RW,
                                         (void *)(uintptr_t)ip);
}
