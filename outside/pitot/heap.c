/* SPDX-License-Identifier: BSD-2-Clause */
/* `pitot heap` of command.h: prints its reports, and what is live at the end. */
#include "outside/pitot/heap.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "outside/pitot/array.h"
#include "outside/pitot/command.h"
#include "outside/pitot/contexts.h"
#include "outside/pitot/name.h"
#include "outside/pitot/plain.h"
#include "outside/pitot/recording.h"
#include "outside/pitot/suppressions.h"

#define COLUMN 16 /* where the chains of an object begin */

static struct wire_live *lives; /* in which objects are live at the end */
static size_t live_count, live_room;
static struct wire_objects totals;
static uint64_t report_count, hit_count;
static uint64_t suppressed_reports, suppressed; /* suppressed: hits */

static const char *const titles[WIRE_HEAP_KINDS] = {
    [WIRE_HEAP_FREED] = "use after free",        [WIRE_HEAP_BESIDE] = "out of bounds",
    [WIRE_HEAP_TWICE] = "double free",           [WIRE_HEAP_MIDDLE] = "free of an object's middle",
    [WIRE_HEAP_NO_OBJECT] = "free of no object", [WIRE_HEAP_FOREIGN] = "free by another allocator",
};

/* --- A report --- */

static void print_count(uint64_t count, const char *noun)
{
    fprintf(stderr, "%" PRIu64 " %s%s", count, noun, count == 1 ? "" : "s");
}

/* Where the access is, relative to the object. */
static void print_relation(const struct wire_heap *report)
{
    uint64_t end = report->object + report->size;

    if (report->address < report->object) {
        print_count(report->object - report->address, "byte");
        fprintf(stderr, " before ");
    } else if (report->kind == WIRE_HEAP_BESIDE) {
        print_count(report->address + report->length - end, "byte");
        fprintf(stderr, " beyond ");
    } else if (report->address > report->object) {
        fprintf(stderr, "%" PRIu64 " into ", report->address - report->object);
    }
    fprintf(stderr, "an object of %" PRIu64 " (%" PRIx64 ")", report->size, report->object);
}

static void print_what(const struct wire_heap *report)
{
    fprintf(stderr, "== %s: ", titles[report->kind]);
    if (report->access) {
        fprintf(stderr, "%s of ", report->access == WIRE_READ ? "read" : "write");
        print_count(report->length, "byte");
        fprintf(stderr, ", ");
    } else {
        char name[NAME_ROOM];

        fprintf(stderr, "%s of %" PRIx64 ", ", name_function(report->ip, name), report->address);
    }
    if (report->object)
        print_relation(report);
    else
        fprintf(stderr, "which none of these allocators has returned");
    fprintf(stderr, ", by CPU %u after ", report->head.cpu);
    print_count(report->time, "instruction");
    fprintf(stderr, "\n   ");
    chain_print_line(stderr, report->access ? report->ip : 0, report->context);
    fprintf(stderr, "\n");
}

/* Clocks of different CPUs cannot be compared. */
static void print_touch(const struct wire_heap *report, const char *what,
                        const struct wire_touch *touch)
{
    fprintf(stderr, " %-*s", COLUMN - 1, what);
    chain_print_line(stderr, 0, touch->context);
    fprintf(stderr, ", ");
    if (touch->cpu == report->head.cpu) {
        print_count(report->time - touch->time, "instruction");
        fprintf(stderr, " ago\n");
    } else {
        fprintf(stderr, "on CPU %u after ", touch->cpu);
        print_count(touch->time, "instruction");
        fprintf(stderr, "\n");
    }
}

/* Prints what is wrong, the code that did it, and who allocated and freed the object. */
static void print_report(const struct wire_heap *report)
{
    print_what(report);
    if (report->freed.time)
        print_touch(report, "freed by", &report->freed);
    if (report->object)
        print_touch(report, "allocated by", &report->allocated);
    fprintf(stderr, "\n");
}

static void print_live(const struct wire_live *live)
{
    fprintf(stderr, "%12" PRIu64 " byte%s in ", live->bytes, live->bytes == 1 ? "" : "s");
    print_count(live->objects, "object");
    fprintf(stderr, ":  ");
    chain_print_line(stderr, 0, live->context);
    fprintf(stderr, "\n");
}

/* --- The plugin's records --- */

static int refuse_report(const struct wire_heap *report, struct refusal *why)
{
    return refuse(why, EINVAL, "the plugin's report %u of kind %u in context %u is invalid",
                  report->report, report->kind, report->context);
}

/* A report comes when it is first seen, and again at the end with its count. */
static int take_report(const struct wire_heap *report, struct refusal *why)
{
    bool first = report->report == report_count;
    uint64_t hits = first ? 1 : report->count - 1;

    if (report->kind >= WIRE_HEAP_KINDS || report->report > report_count ||
        contexts_depth(report->context) < 0 || contexts_depth(report->allocated.context) < 0 ||
        contexts_depth(report->freed.context) < 0)
        return refuse_report(report, why);
    report_count += first;
    if (suppressions_match(report->access ? report->ip : 0, report->context)) {
        suppressed += hits;
        suppressed_reports += first;
        return 0;
    }
    hit_count += hits;
    if (first)
        print_report(report);
    else
        fprintf(stderr, "== report %u, %s, came %" PRIu64 " times\n", report->report + 1,
                titles[report->kind], report->count);
    return heap_record_report(report, hits, why);
}

static int take_live(const struct wire_live *live, struct refusal *why)
{
    int error;

    if (contexts_depth(live->context) < 0)
        return refuse(why, EINVAL, "the plugin's objects in context %u are invalid", live->context);
    error = array_grow(&lives, &live_room, live_count + 1, sizeof(*lives), "contexts", why);
    if (error)
        return error;
    lives[live_count++] = *live;
    return heap_record_live(live, why);
}

static int take(const struct wire_head *record, struct refusal *why)
{
    switch (record->kind) {
    case WIRE_THREAD:
        return recording_thread((const void *)record, why);
    case WIRE_SLIDE:
        recording_slide(((const struct wire_number *)record)->number);
        return 0;
    case WIRE_HEAP:
        return take_report((const void *)record, why);
    case WIRE_LIVE:
        return take_live((const void *)record, why);
    case WIRE_OBJECTS:
        totals = *(const struct wire_objects *)record;
        return 0;
    default:
        return 0;
    }
}

/* --- The end --- */

static int compare_bytes(const void *a, const void *b)
{
    uint64_t left = ((const struct wire_live *)a)->bytes,
             right = ((const struct wire_live *)b)->bytes;

    return left > right ? -1 : left < right;
}

/* Lists the places whose live objects have at least `least` bytes; 0: only says how many. */
static void tell_live(uint64_t least)
{
    uint64_t objects = 0, bytes = 0;
    size_t places = 0;

    for (size_t i = 0; i < live_count; i++) {
        objects += lives[i].objects;
        bytes += lives[i].bytes;
        places += lives[i].objects > 0;
    }
    fprintf(stderr,
            "pitot: live at the end: %" PRIu64 " bytes in %" PRIu64 " object%s, of %zu place%s%s\n",
            bytes, objects, objects == 1 ? "" : "s", places, places == 1 ? "" : "s",
            least || !objects ? "" : "; --leaks 1 lists them");
    if (!least)
        return;
    if (live_count > 0)
        qsort(lives, live_count, sizeof(*lives), compare_bytes);
    for (size_t i = 0; i < live_count && lives[i].bytes >= least; i++)
        print_live(&lives[i]);
}

static void tell_end(const struct command *command, const struct watch *watch)
{
    uint64_t told = report_count - suppressed_reports;
    char objects[128] = "";

    if (watch_ran(watch) && totals.allocated == 0)
        fprintf(stderr, "pitot: no allocator was called; --alloc FUNCTION names others\n");
    else if (watch_ran(watch))
        tell_live(command->options->leaks);
    watch_tell(suppressed, "hit", "suppressed");
    watch_tell(totals.reused, "object", "freed unseen: --free names what frees them");
    watch_tell(totals.lost, "object", "without room: not looked after");
    watch_tell(totals.crowd, "hit",
               "left out, of objects with 4 reports; if another allocator has them, name it "
               "(--alloc)");
    watch_tell(totals.more, "report", "left out: 4,096 places were told");
    watch_tell_losses(watch);
    if (watch->whole)
        snprintf(objects, sizeof(objects),
                 "%" PRIu64 " object%s allocated, %" PRIu64 " freed, at most %" PRIu64 " bytes; ",
                 totals.allocated, totals.allocated == 1 ? "" : "s", totals.freed, totals.peak);
    plain_tell("[ pitot heap: %" PRIu64 " report%s, %" PRIu64 " hit%s; %s%s%s ]", told,
               told == 1 ? "" : "s", hit_count, hit_count == 1 ? "" : "s", objects,
               heap_record_output(command->options), recording_kept() ? "" : " is not written");
}

int command_heap(const struct command *command, struct watch *watch, struct refusal *why)
{
    int error = heap_ask(command->options, watch, why), closing;

    if (!error && command->options->suppress)
        error = suppressions_read(command->options->suppress, why);
    if (!error)
        error = heap_record_create(command->options, watch->kernel, why);
    if (error)
        return error;
    heap_ask_tell(command->options);
    watch->request.chains = true;
    watch->request.samples_most = command->options->most;
    watch->take = take;
    watch->taken = recording_taken;
    error = watch_run(watch, why);
    closing = heap_record_close(command, watch, error ? NULL : why);
    if (!error)
        tell_end(command, watch);
    return error ? error : closing;
}
