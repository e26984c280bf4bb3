/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `pitot trace` of command.h: who ran when, on each CPU. The plugin sends slices that have ended,
 * and adds up the short ones; the file is written at the end, because slices come in the order of
 * their ends, and viewers want that of their beginnings.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/symbols/symbols.h"
#include "outside/pitot/array.h"
#include "outside/pitot/command.h"
#include "outside/pitot/name.h"
#include "outside/pitot/plain.h"
#include "outside/pitot/plugin.h"
#include "outside/pitot/threads.h"
#include "outside/pitot/trace_file.h"
#include "outside/pitot/vector.h"

#define OUTPUT     "trace.json"
#define KERNEL_PID 1           /* the kernel; address spaces of programs follow */
#define MOST       1000000     /* events, if it is not said: some 110 MB */
#define KEPT       (64u << 20) /* bytes for --overwrite */
#define LEAST      10000       /* time of a call that is written */

static const struct events *asked;
static struct wire_traced totals;
static uint64_t summed; /* calls in slices */
static struct wire_registers registers;
static bool has_registers;
static const struct watch *of;
static uint64_t *functions; /* of -f, sorted and each once; none: all */
static size_t function_count;

/* --- The plugin's records --- */

static int add(struct trace_event *event, uint32_t thread, struct refusal *why)
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

static int compare(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return a < b ? -1 : a > b;
}

/* The plugin does not know the function of a call whose beginning it has not seen. */
static bool is_wanted(uint64_t at)
{
    struct symbol symbol;
    uint64_t entry;

    if (function_count == 0)
        return true;
    if (!symbols_find_address(at, &symbol))
        return false;
    entry = symbol.address - of->slide;
    return bsearch(&entry, functions, function_count, sizeof(entry), compare);
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
    error = add(&event, slice->thread, why);
    if (!error && event.kind != TRACE_CALL && slice->flags & WIRE_SLICE_STAYED)
        error = add_on_cpu(&event, slice->head.cpu, why);
    return error;
}

static int take_run(const struct wire_run *ran, struct refusal *why)
{
    char name[NAME_ROOM + 16];
    struct trace_event event = {.kind = TRACE_RUN, .began = ran->began, .ended = ran->ended};

    if (ran->ended < ran->began)
        return refuse(why, EINVAL, "the plugin's run of thread %u is invalid", ran->thread);
    snprintf(name, sizeof(name), "%s %u", threads_name(ran->thread), ran->thread + KERNEL_TID);
    event.name = trace_file_text(name);
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

    if (sample->event >= asked->count || asked->event[sample->event].kind > EVENT_INTERRUPTS)
        return refuse(why, EINVAL, "the plugin's sample of event %u is invalid", sample->event);
    event.kind = (uint8_t)kinds[asked->event[sample->event].kind];
    event.name = trace_file_text(asked->event[sample->event].name);
    event.text = trace_file_text(name_place(sample->ip, place));
    if (event.kind == TRACE_ACCESS) {
        uint64_t values[] = {sample->address, sample->length, sample->access, sample->value};

        memcpy(event.values, values, sizeof(values));
        event.has_values = sample->valued;
    } else if (has_registers) {
        take_values(&event);
    }
    has_registers = false;
    return add(&event, sample->thread, why);
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

static int take(const struct wire_head *record, struct refusal *why)
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
    case WIRE_TRACED:
        totals = *(const struct wire_traced *)record;
        return 0;
    default:
        return 0;
    }
}

/* --- What is asked --- */

/* The functions of all globs, sorted and each once. */
static int ask_functions(struct watch *watch, const struct pitot_options *options,
                         struct refusal *why)
{
    static struct events events; /* large */
    const struct pitot_options globs = {.events = options->functions};
    size_t count = 0, room = 0;
    int error = options->functions.count ? events_read(&events, &globs, watch->kernel, why) : 0;

    for (unsigned i = 0; i < events.count && !error; i++) {
        const struct event *event = &events.event[i];

        error = array_grow(&functions, &room, count + event->entry_count, sizeof(*functions),
                           "functions", why);
        for (size_t j = 0; j < event->entry_count && !error; j++)
            functions[count++] = event->entries[j];
    }
    if (error)
        return error;
    if (count > 0)
        qsort(functions, count, sizeof(*functions), compare);
    for (size_t i = 0; i < count; i++)
        if (function_count == 0 || functions[function_count - 1] != functions[i])
            functions[function_count++] = functions[i];
    return plugin_add_addresses(watch, &watch->request.trace.functions, functions, function_count,
                                why);
}

static int ask(struct watch *watch, const struct pitot_options *options, struct refusal *why)
{
    if (options->events.count > 0 && events_have(watch->events, EVENT_INSTRUCTIONS))
        return refuse(why, EINVAL,
                      "-e instructions: markers are at mem:, call:, return: and irq events");
    watch->sampled = true;
    watch->request.chains = true;
    watch->request.samples_most = options->overwrite ? 0 : options->most ? options->most : MOST;
    watch->request.trace.slices = true;
    watch->request.trace.depth = options->levels ? (uint32_t)options->levels : UINT32_MAX;
    watch->request.trace.least = options->least                 ? options->least
                                 : options->functions.count > 0 ? 0
                                                                : LEAST;
    return ask_functions(watch, options, why);
}

/* --- The file --- */

static void name_tracks(const struct watch *watch)
{
    char name[32];

    trace_file_name(TRACE_CPUS, 0, "CPUs");
    for (unsigned cpu = 0; cpu < watch->cpus; cpu++) {
        snprintf(name, sizeof(name), "CPU %u", cpu);
        trace_file_name(TRACE_CPUS, TRACE_CPUS + cpu, name);
    }
    trace_file_name(KERNEL_PID, 0, watch->kernel->name);
}

static char *joined(char *const *words)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);

    for (char *const *word = words; stream && *word; word++)
        fprintf(stream, "%s%s", word == words ? "" : " ", *word);
    return stream && fclose(stream) == 0 ? text : NULL;
}

static int write_file(struct watch *watch, bool ran, struct refusal *why)
{
    struct trace_about about = {.clock = "instructions that all CPUs have executed",
                                .unit = "1 instruction",
                                .kernel = watch->kernel->path,
                                .command = joined(watch->command)};
    int error;

    name_tracks(watch);
    error = trace_file_end(ran && about.command ? &about : NULL, why);
    free((char *)about.command);
    return error;
}

static void tell_end(const char *path, bool written)
{
    unsigned long long events = trace_file_events();

    if (totals.full_at)
        fprintf(stderr,
                "pitot: the trace ends after %llu instructions: --max was reached; --overwrite "
                "keeps the last events, --least fewer\n",
                (unsigned long long)totals.full_at);
    watch_tell(trace_file_lost(), "event", "overwritten; a larger -m keeps more");
    if (written)
        plain_tell("[ pitot trace: %llu event%s in %s; %llu other calls are summed ]", events,
                   events == 1 ? "" : "s", path, (unsigned long long)(summed + totals.summed));
    else
        plain_tell("[ pitot trace: %s is not written ]", path);
}

int command_trace(const struct command *command, struct watch *watch, struct refusal *why)
{
    const struct pitot_options *options = command->options;
    const char *path = options->output ? options->output : OUTPUT;
    uint64_t memory = options->memory ? options->memory : KEPT;
    int error = ask(watch, options, why), closing;
    bool ran;

    if (error)
        return error;
    asked = watch->events;
    of = watch;
    watch->take = take;
    error =
        trace_file_begin(path, options->overwrite ? memory / sizeof(struct trace_event) : 0, why);
    if (error)
        return error;
    error = watch_run(watch, why);
    ran = !error && watch->begun && trace_file_events() > 0;
    closing = write_file(watch, ran, error ? NULL : why);
    watch->end.samples_left_out = 0;
    watch_tell_losses(watch);
    watch_tell_empty(watch, options);
    tell_end(path, ran && !closing);
    return error ? error : closing;
}
