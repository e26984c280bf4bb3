/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See trace_records.h. A hold lies on the lock's own track, because holds of a thread may overlap;
 * a wait on its thread's, in the call that has waited, and on that of the CPU which it has kept
 * busy.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "outside/pitot/contexts.h"
#include "outside/pitot/elf_symbols.h"
#include "outside/pitot/interned.h"
#include "outside/pitot/locks.h"
#include "outside/pitot/name.h"
#include "outside/pitot/trace_file.h"
#include "outside/pitot/trace_records.h"

static bool waits_asked;
static struct interned addresses; /* of locks */
static uint64_t unseen;

/* --- What is asked --- */

/* A wait is followed as a taken lock is: a function is one of both. */
static int check_apart(const struct lock_functions *locks, const struct lock_functions *wakes,
                       struct refusal *why)
{
    for (size_t i = 0; i < wakes->count; i++)
        for (size_t j = 0; j < locks->count; j++)
            if (wakes->function[i].asked.kind == LOCK_WAITS &&
                wakes->function[i].asked.entry == locks->function[j].asked.entry)
                return refuse(why, EINVAL, "--wait %s: is a function of locks already",
                              wakes->function[i].name);
    return 0;
}

int trace_locks_ask(struct watch *watch, const struct pitot_options *options, struct refusal *why)
{
    static struct lock_functions locks, wakes; /* large */
    struct request *request = &watch->request;
    int error = pitot_options_have_locks(options)
                    ? lock_functions_find(&locks, options, watch->kernel, why)
                    : 0;

    if (!error)
        error = lock_functions_find_wakes(&wakes, options, watch->kernel, why);
    if (!error)
        error = check_apart(&locks, &wakes, why);
    if (error)
        return error;
    waits_asked = options->wait.count > 0;
    request->locks.watch = locks.count > 0;
    request->locks.function_count = (uint32_t)locks.count;
    for (size_t i = 0; i < locks.count; i++)
        request->locks.functions[i] = locks.function[i].asked;
    request->trace.least_lock = locks.count > 0 ? options->least : 0;
    request->trace.wake_count = (uint32_t)wakes.count;
    for (size_t i = 0; i < wakes.count; i++)
        request->trace.wakes[i] = wakes.function[i].asked;
    return 0;
}

/* --- The plugin's records --- */

/* "VARIABLE", "VARIABLE+0x10", or "0x...". */
static const char *name_lock(uint64_t address, char text[NAME_ROOM])
{
    struct symbol variable;

    if (!elf_symbols_find_variable(address, &variable))
        snprintf(text, NAME_ROOM, "0x%" PRIx64, address);
    else if (address == variable.address)
        snprintf(text, NAME_ROOM, "%s", variable.name);
    else
        snprintf(text, NAME_ROOM, "%s+0x%" PRIx64, variable.name, address - variable.address);
    return text;
}

/* Of the call in this context. */
static uint32_t caller_of(uint32_t context)
{
    char text[NAME_ROOM];

    return trace_file_text(name_place(context ? contexts_caller(context) : NAME_NOT_KNOWN, text));
}

static int add_hold(struct trace_event *event, const struct wire_lock_slice *slice,
                    const char *lock, struct refusal *why)
{
    uint32_t number = interned_number(&addresses, &slice->address, sizeof(slice->address));

    event->kind = TRACE_HOLD;
    event->name = trace_records_thread(slice->thread);
    event->process = TRACE_LOCKS;
    event->thread = TRACE_LOCKS + number;
    trace_file_name(event->process, event->thread, lock);
    trace_file_name(TRACE_LOCKS, 0, "locks");
    return trace_file_add(event, why);
}

static int add_wait(struct trace_event *event, const struct wire_lock_slice *slice,
                    const char *lock, struct refusal *why)
{
    char text[NAME_ROOM + 16];
    int error;

    snprintf(text, sizeof(text), "waits for %s", lock);
    event->kind = TRACE_WAIT;
    event->name = trace_file_text(text);
    error = trace_records_add(event, slice->thread, why);
    if (error || !(slice->flags & WIRE_SLICE_STAYED))
        return error;
    trace_file_put_on_cpu(event, slice->head.cpu);
    return trace_file_add(event, why);
}

int trace_locks_slice(const struct wire_lock_slice *slice, struct refusal *why)
{
    char lock[NAME_ROOM];
    struct trace_event event = {.began = slice->began,
                                .ended = slice->ended,
                                .depth = (uint16_t)slice->depth,
                                .before = slice->flags & WIRE_SLICE_BEFORE,
                                .cut = slice->flags & WIRE_SLICE_CUT};

    if (slice->ended < slice->began || contexts_depth(slice->place.context) < 0)
        return refuse(why, EINVAL, "the plugin's slice of lock 0x%" PRIx64 " is invalid",
                      slice->address);
    name_lock(slice->address, lock);
    event.text = caller_of(slice->place.context);
    return slice->flags & WIRE_SLICE_HOLDS ? add_hold(&event, slice, lock, why)
                                           : add_wait(&event, slice, lock, why);
}

/* An end of an arrow, in the slice of the thread that the CPU runs. */
static int add_arrow(enum trace_kind kind, uint64_t number, uint64_t time, unsigned cpu,
                     struct refusal *why)
{
    struct trace_event arrow = {
        .kind = kind, .began = time, .ended = time, .depth = UINT16_MAX, .values = {number}};

    trace_file_put_on_cpu(&arrow, cpu);
    return trace_file_add(&arrow, why);
}

int trace_locks_wake(const struct wire_wake *wake, struct refusal *why)
{
    char name[NAME_ROOM];
    struct trace_event event = {.kind = TRACE_WAKE,
                                .began = wake->time,
                                .ended = wake->time,
                                .depth = UINT16_MAX,
                                .has_values = waits_asked,
                                .values = {wake->value, wake->waiting}};
    int error;

    if (contexts_depth(wake->context) < 0)
        return refuse(why, EINVAL, "the plugin's wake of thread %u is invalid", wake->thread);
    event.name = trace_file_text(name_function(wake->function, name));
    event.text = caller_of(wake->context);
    error = trace_records_add(&event, wake->thread, why);
    if (!error && wake->arrow)
        error = add_arrow(TRACE_WAKES, wake->arrow, wake->time, wake->head.cpu, why);
    return error;
}

int trace_locks_woken(const struct wire_woken *woken, struct refusal *why)
{
    return add_arrow(TRACE_WOKEN, woken->arrow, woken->time, woken->head.cpu, why);
}

void trace_locks_count(const struct wire_lock *lock)
{
    unseen += lock->unseen;
}

void trace_locks_tell(void)
{
    watch_tell(unseen, "lock", "taken or given back unseen: by code that is not named");
}
