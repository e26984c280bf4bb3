/* SPDX-License-Identifier: BSD-2-Clause */
/* See heap_text.h. */
#include "outside/pitot/heap_text.h"

#include <inttypes.h>
#include <stdio.h>

#include "outside/pitot/chain_text.h"
#include "outside/pitot/name.h"

#define COLUMN 16 /* where the chains of an object begin */

static const struct {
    const char *event, *title;
} kinds[WIRE_HEAP_KINDS] = {
    [WIRE_HEAP_FREED] = {"heap:use_after_free", "use after free"},
    [WIRE_HEAP_BESIDE] = {"heap:out_of_bounds", "out of bounds"},
    [WIRE_HEAP_TWICE] = {"heap:double_free", "double free"},
    [WIRE_HEAP_MIDDLE] = {"heap:free_of_middle", "free of an object's middle"},
    [WIRE_HEAP_NO_OBJECT] = {"heap:free_of_no_object", "free of no object"},
    [WIRE_HEAP_FOREIGN] = {"heap:foreign_free", "free by another allocator"},
};

const char *heap_event(enum wire_heap_kind kind)
{
    return kinds[kind].event;
}

const char *heap_title(enum wire_heap_kind kind)
{
    return kinds[kind].title;
}

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
    fprintf(stderr, "== %s: ", kinds[report->kind].title);
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

void heap_print(const struct wire_heap *report)
{
    print_what(report);
    if (report->freed.time)
        print_touch(report, "freed by", &report->freed);
    if (report->object)
        print_touch(report, "allocated by", &report->allocated);
    fprintf(stderr, "\n");
}

void heap_print_live(const struct wire_live *live)
{
    fprintf(stderr, "%12" PRIu64 " byte%s in ", live->bytes, live->bytes == 1 ? "" : "s");
    print_count(live->objects, "object");
    fprintf(stderr, ":  ");
    chain_print_line(stderr, 0, live->context);
    fprintf(stderr, "\n");
}
