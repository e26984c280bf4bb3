/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See trace_file.h. Source: "Trace Event Format", of Chromium's catapult. Slices are complete
 * events ("X"), half as long as a beginning and an end each; sorted, an outer one first, as
 * Perfetto needs it.
 */
#include "outside/pitot/trace_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "outside/pitot/array.h"
#include "outside/pitot/files.h"
#include "outside/pitot/interned.h"
#include "outside/pitot/name.h"
#include "outside/pitot/show.h"
#include "outside/wire.h"

#define NS_IN_US 1000

static struct {
    struct trace_event *events; /* a ring of `most`, if that is not 0 */
    uint64_t most, count;       /* count: ever added */
    uint64_t slices;            /* of them */
    size_t room;
} kept;

/* Process and thread. */
struct track {
    uint32_t process, thread;
};

static struct output output;
static FILE *out_file;
static struct interned texts, tracks;
static struct {
    uint32_t name;
    bool used; /* an event is on it */
} * named;     /* [track] */
static size_t named_room;

int trace_file_begin(const char *path, uint64_t most, struct refusal *why)
{
    int file;

    kept.most = most;
    kept.events = most ? malloc(most * sizeof(*kept.events)) : NULL;
    if (most && !kept.events)
        return refuse(why, ENOMEM, "-m: not enough memory for that size");
    trace_file_text("");
    file = output_open(&output, path, why);
    if (file < 0)
        return file;
    out_file = fdopen(file, "w");
    return out_file ? 0 : refuse(why, errno, "%s: %s", path, strerror(errno));
}

uint32_t trace_file_text(const char *text)
{
    return interned_number(&texts, text, strlen(text));
}

int trace_file_add(const struct trace_event *event, struct refusal *why)
{
    uint64_t at = kept.most ? kept.count % kept.most : kept.count;
    int error = kept.most ? 0
                          : array_grow(&kept.events, &kept.room, at + 1, sizeof(*kept.events),
                                       "events", why);

    if (error)
        return error;
    kept.events[at] = *event;
    kept.count++;
    kept.slices += event->kind < TRACE_ACCESS;
    return 0;
}

uint64_t trace_file_events(void)
{
    return kept.count - trace_file_lost();
}

uint64_t trace_file_slices(void)
{
    return kept.slices;
}

uint64_t trace_file_lost(void)
{
    return kept.most && kept.count > kept.most ? kept.count - kept.most : 0;
}

static uint32_t track_of(uint32_t process, uint32_t thread)
{
    struct track track = {process, thread};
    uint32_t number = interned_number(&tracks, &track, sizeof(track));

    if (number < named_room)
        return number;
    named = reallocarray(named, 2 * (size_t)number + 1, sizeof(*named));
    if (!named)
        abort();
    memset(named + named_room, 0, (2 * (size_t)number + 1 - named_room) * sizeof(*named));
    named_room = 2 * (size_t)number + 1;
    return number;
}

void trace_file_name(uint32_t process, uint32_t thread, const char *name)
{
    uint32_t track = track_of(process, thread); /* moves `named` */

    named[track].name = trace_file_text(name);
}

bool trace_file_has_name(uint32_t process, uint32_t thread)
{
    uint32_t track = track_of(process, thread);

    return named[track].name != 0;
}

/* --- JSON --- */

static void write_text(FILE *out, uint32_t text)
{
    show_json_string(out, interned_key(&texts, text));
}

static void write_time(FILE *out, const char *name, uint64_t ns)
{
    fprintf(out, ",\"%s\":%" PRIu64 ".%03u", name, ns / NS_IN_US, (unsigned)(ns % NS_IN_US));
}

/*
 * Viewers add a slice's beginning and duration, in floating point: where that is not its end, which
 * the next one's beginning or the outer one's end may be, slices would cross. Then the duration has
 * all digits of one that is.
 */
static void write_duration(FILE *out, uint64_t began, uint64_t ended)
{
    double from = (double)began / NS_IN_US, to = (double)ended / NS_IN_US;

    if (from + (double)(ended - began) / NS_IN_US == to)
        write_time(out, "dur", ended - began);
    else
        fprintf(out, ",\"dur\":%.17g", to - from);
}

/* A member of an event's arguments; the first one has no comma before it. */
static bool write_member(FILE *out, bool more, const char *name)
{
    fprintf(out, "%s\"%s\":", more ? "," : ",\"args\":{", name);
    return true;
}

static bool write_count(FILE *out, bool more, const char *name, uint64_t number)
{
    write_member(out, more, name);
    fprintf(out, "%" PRIu64, number);
    return true;
}

/* As a string: numbers of JSON have 53 bits. */
static bool write_hexadecimal(FILE *out, bool more, const char *name, uint64_t number)
{
    write_member(out, more, name);
    fprintf(out, "\"0x%" PRIx64 "\"", number);
    return true;
}

static bool write_interrupt(FILE *out, const struct trace_event *event)
{
    bool more = false;

    if (event->values[0] != UINT64_MAX)
        more = write_count(out, more, "vector", event->values[0]);
    if (vector_has_error((int64_t)event->values[0]))
        more = write_hexadecimal(out, more, "error code", event->values[1]);
    return more;
}

static bool write_access(FILE *out, const struct trace_event *event)
{
    static const char *const accesses[] = {"", "read", "write", "read and write"};
    bool more = write_hexadecimal(out, false, "address", event->values[0]);

    write_count(out, more, "bytes", event->values[1]);
    write_member(out, more, "access");
    fprintf(out, "\"%s\"", accesses[event->values[2] & (WIRE_READ | WIRE_WRITE)]);
    return event->has_values ? write_hexadecimal(out, more, "value", event->values[3]) : more;
}

static bool write_arguments(FILE *out, const struct trace_event *event)
{
    static const char *const names[TRACE_VALUES] = {"argument 1", "argument 2", "argument 3",
                                                    "argument 4", "argument 5", "argument 6"};
    bool more = false;

    for (unsigned i = 0; i < TRACE_VALUES && event->has_values; i++)
        more = write_hexadecimal(out, more, names[i], event->values[i]);
    return more;
}

static bool write_own(FILE *out, const struct trace_event *event)
{
    bool more = false;

    switch (event->kind) {
    case TRACE_CALL:
        if (event->values[0] == 0)
            return false;
        more = write_count(out, more, "short calls", event->values[0]);
        return write_count(out, more, "their time", event->values[1]);
    case TRACE_INTERRUPT:
        return write_interrupt(out, event);
    case TRACE_ACCESS:
        return write_access(out, event);
    case TRACE_ENTRY:
        return write_arguments(out, event);
    case TRACE_WAKE:
        more = write_hexadecimal(out, more, "value", event->values[0]);
        return event->has_values ? write_count(out, more, "waiting", event->values[1]) : more;
    case TRACE_RETURN:
        return event->has_values && write_hexadecimal(out, more, "result", event->values[0]);
    default:
        return false;
    }
}

/* An arrow begins, or ends in the slice around it. */
static void write_arrow(FILE *out, const struct trace_event *event)
{
    fprintf(out, ",\n{\"ph\":\"%s\",\"pid\":%u,\"tid\":%u",
            event->kind == TRACE_WAKES ? "s" : "f\",\"bp\":\"e", event->process, event->thread);
    write_time(out, "ts", event->began);
    fprintf(out, ",\"id\":%" PRIu64 ",\"cat\":\"wakeup\",\"name\":\"wakes\"}", event->values[0]);
}

static bool is_of_lock(const struct trace_event *event)
{
    return event->kind == TRACE_WAIT || event->kind == TRACE_HOLD;
}

static void write_event(FILE *out, const struct trace_event *event)
{
    static const char *const categories[] = {
        [TRACE_RUN] = "thread",      [TRACE_CALL] = "function", [TRACE_INTERRUPT] = "interrupt",
        [TRACE_SYSCALL] = "syscall", [TRACE_WAIT] = "lock",     [TRACE_HOLD] = "lock",
        [TRACE_ACCESS] = "event",    [TRACE_ENTRY] = "event",   [TRACE_RETURN] = "event",
        [TRACE_WAKE] = "event",      [TRACE_MARK] = "event"};
    bool marks = event->kind >= TRACE_ACCESS, more;

    fprintf(out, ",\n{\"ph\":\"%s\",\"pid\":%u,\"tid\":%u", marks ? "i\",\"s\":\"t" : "X",
            event->process, event->thread);
    write_time(out, "ts", event->began);
    if (!marks)
        write_duration(out, event->began, event->ended);
    fprintf(out, ",\"cat\":\"%s\",\"name\":", categories[event->kind]);
    write_text(out, event->name);
    more = write_own(out, event);
    if (event->text) {
        more = write_member(out, more, marks || is_of_lock(event) ? "at" : "says");
        write_text(out, event->text);
    }
    if (event->before)
        more = write_count(out, more, "began before", 1);
    if (event->cut)
        more = write_count(out, more, "not ended", 1);
    fputs(more ? "}}" : "}", out);
}

static void write_name(FILE *out, const struct track *track, uint32_t name)
{
    fprintf(out, ",\n{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"%s\",\"args\":{\"name\":",
            track->process, track->thread, track->thread ? "thread_name" : "process_name");
    write_text(out, name);
    fputs("}}", out);
}

static void write_names(FILE *out)
{
    fprintf(out,
            "{\"ph\":\"M\",\"pid\":%u,\"name\":\"process_sort_index\","
            "\"args\":{\"sort_index\":-1}}",
            (unsigned)TRACE_CPUS);
    for (uint32_t i = 0; i < tracks.count; i++)
        if (named[i].used)
            write_name(out, interned_key(&tracks, i), named[i].name);
}

static void write_about(FILE *out, const struct trace_about *about)
{
    fputs("{\"displayTimeUnit\":\"ns\",\n\"otherData\":{\"version\":\"pitot " VERSION_TEXT
          "\",\"clock\":",
          out);
    show_json_string(out, about->clock);
    fputs(",\"1 ns\":", out);
    show_json_string(out, about->unit);
    fputs(",\"kernel\":", out);
    show_json_string(out, about->kernel);
    fputs(",\"command\":", out);
    show_json_string(out, about->command);
    fprintf(out, ",\"events left out\":%" PRIu64 "},\n\"traceEvents\":[\n", trace_file_lost());
}

static int compare(const void *left, const void *right)
{
    const struct trace_event *a = left, *b = right;

    if (a->began != b->began)
        return a->began < b->began ? -1 : 1;
    if (a->ended != b->ended)
        return a->ended > b->ended ? -1 : 1;
    return a->depth < b->depth ? -1 : a->depth > b->depth;
}

static void write_all(FILE *out, const struct trace_about *about)
{
    uint64_t count = trace_file_events();

    for (uint64_t i = 0; i < count; i++) {
        uint32_t process = track_of(kept.events[i].process, 0);
        uint32_t thread = track_of(kept.events[i].process, kept.events[i].thread);

        named[process].used = named[thread].used = true;
    }
    if (count > 0)
        qsort(kept.events, count, sizeof(*kept.events), compare);
    write_about(out, about);
    write_names(out);
    for (uint64_t i = 0; i < count; i++)
        if (kept.events[i].kind >= TRACE_WAKES)
            write_arrow(out, &kept.events[i]);
        else
            write_event(out, &kept.events[i]);
    fputs("\n]}\n", out);
}

int trace_file_end(const struct trace_about *about, struct refusal *why)
{
    int error = 0;

    if (about)
        write_all(out_file, about);
    if (fflush(out_file) != 0 || ferror(out_file))
        error = refuse(why, EIO, "%s: %s", output.path, strerror(errno));
    fclose(out_file);
    if (!error && about)
        error = output_keep(&output, why);
    output_drop(&output);
    return error;
}
