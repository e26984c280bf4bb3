/* SPDX-License-Identifier: BSD-2-Clause */
/* See trace_records.h. */
#include "outside/pitot/trace_records.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/symbols/symbols.h"
#include "outside/pitot/array.h"
#include "outside/pitot/name.h"

static const struct watch *of;
static const uint64_t *functions;
static size_t function_count;
static struct wire_traced totals;
static uint64_t summed; /* calls in slices */
static struct wire_registers registers;
static bool has_registers;

void trace_records_begin(const struct watch *watch, const uint64_t *wanted, size_t count)
{
    of = watch;
    functions = wanted;
    function_count = count;
}

uint64_t trace_records_full_at(void)
{
    return totals.full_at;
}

uint64_t trace_records_summed(void)
{
    return summed + totals.summed;
}

int trace_records_add(struct trace_event *event, uint32_t thread, struct refusal *why)
{
    event->process = KERNEL_PID + threads_space(thread);
    event->thread = thread + KERNEL_TID;
    return trace_file_add(event, why);
}

/* The same on its CPU's own track. */
static int add_on_cpu(struct trace_event *event, unsigned cpu, struct refusal *why)
{
    trace_file_put_on_cpu(event, cpu);
    return trace_file_add(event, why);
}

/* The plugin does not know the function of a call whose beginning it has not seen. */
static bool is_wanted(uint64_t at)
{
    struct symbol symbol;
    uint64_t entry;
    size_t index;

    if (function_count == 0)
        return true;
    if (!symbols_find_address(at, &symbol))
        return false;
    entry = symbol.address - of->slide;
    index = array_find(functions, function_count, sizeof(*functions), 0, sizeof(*functions), entry,
                       false);
    return index < function_count && functions[index] == entry;
}

static uint32_t name_of_interrupt(const struct wire_slice *slice)
{
    char text[NAME_ROOM + 32], name[NAME_ROOM];
    const char *exception = vector_name(slice->vector);

    name_function(slice->at, name);
    if (*exception)
        snprintf(text, sizeof(text), "%s %s", exception, name);
    else if (slice->vector >= 0)
        snprintf(text, sizeof(text), "vector %d %s", slice->vector, name);
    else
        snprintf(text, sizeof(text), "interrupt %s", name);
    return trace_file_text(text);
}

static int take_slice(const struct wire_slice *slice, struct refusal *why)
{
    char name[NAME_ROOM];
    struct trace_event event = {.began = slice->began,
                                .ended = slice->ended,
                                .kind = TRACE_CALL,
                                .depth = (uint16_t)slice->depth,
                                .before = slice->flags & WIRE_SLICE_BEFORE,
                                .cut = slice->flags & WIRE_SLICE_CUT};
    int error;

    if (slice->ended < slice->began)
        return refuse(why, EINVAL, "the plugin's slice of thread %u is invalid", slice->thread);
    summed += slice->shorter;
    if (slice->by == WIRE_BY_CALL && !is_wanted(slice->at)) {
        summed++;
        return 0;
    }
    if (slice->by == WIRE_BY_INTERRUPT) {
        event.kind = TRACE_INTERRUPT;
        event.name = name_of_interrupt(slice);
        event.values[0] = slice->vector < 0 ? UINT64_MAX : (uint64_t)slice->vector;
        event.values[1] = slice->error;
    } else {
        event.kind = slice->by == WIRE_BY_SYSCALL ? TRACE_SYSCALL : TRACE_CALL;
        event.name = trace_file_text(name_function(slice->at, name));
        event.values[0] = slice->shorter;
        event.values[1] = slice->shorter_time;
    }
    error = trace_records_add(&event, slice->thread, why);
    if (!error && event.kind != TRACE_CALL && slice->flags & WIRE_SLICE_STAYED)
        error = add_on_cpu(&event, slice->head.cpu, why);
    return error;
}

uint32_t trace_records_thread(uint32_t thread)
{
    char name[NAME_ROOM + 16];

    snprintf(name, sizeof(name), "%s %u", threads_name(thread), thread + KERNEL_TID);
    return trace_file_text(name);
}

static int take_run(const struct wire_run *ran, struct refusal *why)
{
    struct trace_event event = {.kind = TRACE_RUN, .began = ran->began, .ended = ran->ended};

    if (ran->ended < ran->began)
        return refuse(why, EINVAL, "the plugin's run of thread %u is invalid", ran->thread);
    event.name = trace_records_thread(ran->thread);
    return add_on_cpu(&event, ran->head.cpu, why);
}

/* System V ABI, "Parameter Passing": the places in a record of the arguments' registers. */
static void take_values(struct trace_event *event)
{
    static const unsigned arguments[TRACE_VALUES] = {5, 4, 3, 2, 9, 10};

    for (unsigned i = 0; i < TRACE_VALUES && event->kind == TRACE_ENTRY; i++)
        event->values[i] = registers.registers[arguments[i]];
    if (event->kind == TRACE_RETURN)
        event->values[0] = registers.registers[0];
    event->has_values = true;
}

static int take_marker(const struct wire_sample *sample, struct refusal *why)
{
    static const enum trace_kind kinds[] = {[EVENT_MEMORY] = TRACE_ACCESS,
                                            [EVENT_CALLS] = TRACE_ENTRY,
                                            [EVENT_RETURNS] = TRACE_RETURN,
                                            [EVENT_INTERRUPTS] = TRACE_MARK};
    struct trace_event event = {.began = sample->time, .ended = sample->time, .depth = UINT16_MAX};
    char place[NAME_ROOM];

    if (sample->event >= of->events->count ||
        of->events->event[sample->event].kind > EVENT_INTERRUPTS)
        return refuse(why, EINVAL, "the plugin's sample of event %u is invalid", sample->event);
    event.kind = (uint8_t)kinds[of->events->event[sample->event].kind];
    event.name = trace_file_text(of->events->event[sample->event].name);
    event.text = trace_file_text(name_place(sample->ip, place));
    if (event.kind == TRACE_ACCESS) {
        uint64_t values[] = {sample->address, sample->length, sample->access, sample->value};

        memcpy(event.values, values, sizeof(values));
        event.has_values = sample->valued;
    } else if (has_registers) {
        take_values(&event);
    }
    has_registers = false;
    return trace_records_add(&event, sample->thread, why);
}

static int take_thread(const struct wire_thread *thread, struct refusal *why)
{
    int error = threads_add(thread, why);
    char name[32];

    if (error)
        return error;
    trace_file_name(KERNEL_PID + thread->space, thread->thread + KERNEL_TID,
                    threads_name(thread->thread));
    snprintf(name, sizeof(name), "address space %u", thread->space);
    if (thread->space)
        trace_file_name(KERNEL_PID + thread->space, 0, name);
    return 0;
}

int trace_records_take(const struct wire_head *record, struct refusal *why)
{
    switch (record->kind) {
    case WIRE_THREAD:
        return take_thread((const void *)record, why);
    case WIRE_SLICE:
        return take_slice((const void *)record, why);
    case WIRE_RUN:
        return take_run((const void *)record, why);
    case WIRE_SAMPLE:
        return take_marker((const void *)record, why);
    case WIRE_REGISTERS:
        registers = *(const struct wire_registers *)record;
        has_registers = true;
        return 0;
    case WIRE_LOCK_SLICE:
        return trace_locks_slice((const void *)record, why);
    case WIRE_WAKE:
        return trace_locks_wake((const void *)record, why);
    case WIRE_WOKEN:
        return trace_locks_woken((const void *)record, why);
    case WIRE_LOCK:
        trace_locks_count((const void *)record);
        return 0;
    case WIRE_TRACED:
        totals = *(const struct wire_traced *)record;
        return 0;
    default:
        return 0;
    }
}
