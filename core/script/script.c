/* SPDX-License-Identifier: BSD-2-Clause */
/* See script.h. Column for column like the real `perf script` (docs/perf.md). */
#include "core/script/script.h"

#include "arch/regs.h"
#include "core/lib/string.h"
#include "core/sample/records.h"
#include "core/symbols/symbols.h"
#include "core/tracepoint/format.h"

/* --- perf script. --- */

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
    const struct pitot_tracepoint *tracepoint;
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

/* --- perf report -D. --- */

#define ROW 16 /* bytes per line */

static const char *type_name(uint32_t type)
{
    static const char *const names[] = {
        [PERF_RECORD_LOST] = "LOST",         [PERF_RECORD_COMM] = "COMM",
        [PERF_RECORD_THROTTLE] = "THROTTLE", [PERF_RECORD_UNTHROTTLE] = "UNTHROTTLE",
        [PERF_RECORD_FORK] = "FORK",         [PERF_RECORD_EXIT] = "EXIT",
        [PERF_RECORD_SAMPLE] = "SAMPLE",     [PERF_RECORD_MMAP2] = "MMAP2",
    };

    return type < sizeof(names) / sizeof(names[0]) && names[type] ? names[type] : "UNKNOWN";
}

static void print_row(struct sink *sink, size_t at, const uint8_t *bytes, size_t count)
{
    print_to(sink, ".  %04zx:  ", at);
    for (size_t i = 0; i < ROW; i++)
        if (i < count)
            print_to(sink, "%02x ", bytes[i]);
        else
            print_to(sink, "   ");
    print_to(sink, " ");
    for (size_t i = 0; i < ROW; i++) {
        uint8_t byte = i < count ? bytes[i] : ' ';

        print_to(sink, "%c", byte >= ' ' && byte <= '~' ? byte : '.');
    }
    print_to(sink, "\n");
}

static void print_bytes(struct sink *sink, const struct perf_event_header *record, uint64_t offset)
{
    const uint8_t *bytes = (const uint8_t *)record;

    print_to(sink, "0x%llx [0x%x]: event: %u\n.\n. ... raw event: size %u bytes\n",
             (unsigned long long)offset, record->size, record->type, record->size);
    for (size_t at = 0; at < record->size; at += ROW)
        print_row(sink, at, bytes + at, record->size - at < ROW ? record->size - at : ROW);
    print_to(sink, "\n");
}

static void print_sample(struct sink *sink, const struct perf_event_header *record,
                         const struct sample_view *view, uint64_t offset)
{
    print_to(sink,
             "%u %llu 0x%llx [0x%x]: PERF_RECORD_SAMPLE(IP, 0x%x): %u/%u: 0x%llx period: %llu "
             "addr: %s%llx\n",
             view->cpu, (unsigned long long)view->time, (unsigned long long)offset, record->size,
             record->misc, view->pid, view->tid, (unsigned long long)view->ip,
             (unsigned long long)view->period, view->addr ? "0x" : "",
             (unsigned long long)view->addr);
    if (view->event->attr.sample_type & PERF_SAMPLE_CALLCHAIN) {
        print_to(sink, "... FP chain: nr:%zu\n", view->chain_length);
        for (size_t i = 0; i < view->chain_length; i++)
            print_to(sink, "..... %2zu: %016llx\n", i, (unsigned long long)view->chain[i]);
    }
    print_to(sink, " ... thread: %s:%u\n\n", comm_of(view->tid), view->tid);
}

void record_dump_print(struct sink *sink, struct record_source *source)
{
    const struct perf_event_header *record;
    uint64_t offset = 0;

    source->rewind(source);
    for (; (record = source->next(source)) != NULL; offset += record->size) {
        struct sample_view view;

        print_bytes(sink, record, offset);
        if (sample_view_parse(record, source->events, source->event_count, &view))
            print_sample(sink, record, &view, offset);
        else
            print_to(sink, "0x%llx [0x%x]: PERF_RECORD_%s\n\n", (unsigned long long)offset,
                     record->size, type_name(record->type));
    }
}
