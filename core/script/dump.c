/* SPDX-License-Identifier: BSD-2-Clause */
/* record_dump_print of script.h. */
#include "core/script/script.h"

#include "core/sample/records.h"

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
