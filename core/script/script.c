/* SPDX-License-Identifier: BSD-2-Clause */
/* See script.h. Column for column like the real `perf script` (docs/perf.md). */
#include "core/script/script.h"

#include "arch/registers.h"
#include "core/lib/string.h"
#include "core/sample/records.h"
#include "core/symbols/symbols.h"
#include "core/symbols/user_place.h"
#include "core/tracepoint/format.h"

static bool has(const struct sample_view *view, uint64_t field)
{
    return view->event->attr.sample_type & field;
}

/* Returns the length of the longest event name. */
static int name_width(const struct recorded_event *events, size_t event_count)
{
    size_t width = 0;

    for (size_t i = 0; i < event_count; i++) {
        size_t length = strlen(events[i].name);

        width = length > width ? length : width;
    }
    return (int)width;
}

/* perf pads the name only if no chain follows. */
static void print_task(struct sink *sink, const struct sample_view *view)
{
    int width = has(view, PERF_SAMPLE_CALLCHAIN) ? 0 : 16;
    const char *comm = comm_of(view->tid);
    char number[16];

    if (comm[0] == '\0') {
        print_into(number, sizeof(number), ":%d", (int)view->tid);
        comm = number;
    }
    print_to(sink, "%*s %5d ", width, comm, (int)view->tid);
}

static void print_time(struct sink *sink, uint64_t time)
{
    unsigned long long microseconds = time / 1000;

    print_to(sink, "%5llu.%06llu: ", microseconds / 1000000, microseconds % 1000000);
}

/* perf prints a program's address unchanged for a hit, but as a file offset in a chain. */
static void print_address(struct sink *sink, const struct sample_view *view, uint64_t address,
                          bool of_chain)
{
    struct user_place place = {.named = false};
    uint64_t shown = address;

    if (!user_place_possible(address))
        place.named = symbols_find_address(address, &place.symbol);
    else if (user_place_find(view->pid, address, &place) && of_chain)
        shown = place.file_offset;
    print_to(sink, "%16llx ", (unsigned long long)shown);
    if (place.named)
        print_to(sink, "%s+0x%llx", place.symbol.name,
                 (unsigned long long)(address - place.symbol.address));
    else
        print_to(sink, "[unknown]");
}

static void print_place(struct sink *sink, const struct sample_view *view, unsigned max_stack)
{
    struct chain_walk walk;
    uint64_t address;

    if (!has(view, PERF_SAMPLE_CALLCHAIN)) {
        print_to(sink, " ");
        print_address(sink, view, view->ip, false);
        /* as in perf, "FROM => TO" if every branch is sampled, as by a branch trace store */
        if (view->event->attr.type == PERF_TYPE_HARDWARE && view->event->attr.sample_period == 1) {
            print_to(sink, " => ");
            print_address(sink, view, view->addr, false);
        }
        return;
    }
    print_to(sink, "\n");
    chain_walk_start(&walk, view, false, max_stack ? max_stack : CHAIN_WALK_MOST);
    while (chain_walk_next(&walk, &address)) {
        print_to(sink, "\t");
        print_address(sink, view, address, true);
        print_to(sink, "\n");
    }
}

static void print_registers(struct sink *sink, const struct sample_view *view)
{
    uint64_t mask = view->event->attr.sample_regs_intr;

    if (view->registers == NULL)
        return;
    print_to(sink, " ABI:%llu ", (unsigned long long)view->registers_abi);
    for (size_t i = 0; i < view->register_count; i++, mask &= mask - 1) {
        unsigned int bit = (unsigned int)__builtin_ctzll(mask);
        const char *name = bit < ARCH_SAMPLED_BITS ? arch_sampled_names[bit] : "unknown";

        print_to(sink, "%5s:0x%llx ", name, (unsigned long long)view->registers[i]);
    }
}

bool script_print_sample(struct sink *sink, const struct perf_event_header *record,
                         const struct recorded_event *events, size_t event_count,
                         const struct script_options *options)
{
    const struct tracepoint *tracepoint;
    struct sample_view view;

    if (!sample_view_parse(record, events, event_count, &view))
        return false;
    tracepoint = tracepoint_of_event(&view.event->attr);
    if (has(&view, PERF_SAMPLE_TID))
        print_task(sink, &view);
    if (has(&view, PERF_SAMPLE_CPU))
        print_to(sink, "[%03u] ", view.cpu);
    if (has(&view, PERF_SAMPLE_TIME))
        print_time(sink, view.time);
    print_to(sink, "%10llu ", (unsigned long long)view.period);
    print_to(sink, "%*s: ", name_width(events, event_count), view.event->name);
    if (view.raw && tracepoint)
        tracepoint_record_print(sink, tracepoint, view.raw, view.raw_size);
    if (has(&view, PERF_SAMPLE_IP))
        print_place(sink, &view, options->max_stack);
    if (options->registers)
        print_registers(sink, &view);
    print_to(sink, "\n");
    return true;
}

size_t script_print(struct sink *sink, struct record_source *source,
                    const struct script_options *options, bool *more)
{
    const struct perf_event_header *record;
    struct sample_view view;
    size_t printed = 0;

    *more = false;
    source->rewind(source);
    while ((record = source->next(source)) != NULL) {
        if (options->max_events && printed == options->max_events) {
            *more = sample_view_parse(record, source->events, source->event_count, &view);
            if (*more)
                break;
            continue;
        }
        printed += script_print_sample(sink, record, source->events, source->event_count, options);
    }
    return printed;
}
