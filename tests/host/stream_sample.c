/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes a stream of two small recordings to standard output, made by core/stream/stream.c from its
 * own records. tests/host/stream_perf.t feeds it to the real perf and knows the result.
 *
 * usage: stream_sample stream|block
 *        stream: the bytes as on COM2; block: each recording as a stream of its own in a base64
 * block, as on COM1
 *
 * links: tests/host/fake_symbols.c
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <asm/perf_regs.h>

#include "core/lib/assert.h"
#include "core/stream/base64.h"
#include "core/stream/stream.h"

/* The addresses of the functions in the kernel of tests/host/stream_perf.t. */
#define KERNEL_TEXT  0xffffffff80100000
#define OUTER        (KERNEL_TEXT + 0x110)
#define MIDDLE       (KERNEL_TEXT + 0x220)
#define TAKE_LOCK    (KERNEL_TEXT + 0x330)
#define RELEASE_LOCK (KERNEL_TEXT + 0x440)
#define KERNEL_FLAG  (KERNEL_TEXT + 0x10000)

#define CHAINED_TYPE                                                                               \
    (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |                \
     PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN)
#define REGISTERS_TYPE                                                                             \
    (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |                \
     PERF_SAMPLE_REGS_INTR)
#define PLAIN_TYPE                                                                                 \
    (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |                \
     PERF_SAMPLE_ADDR)

#define REGISTERS ((1u << PERF_REG_X86_AX) | (1u << PERF_REG_X86_SP) | (1u << PERF_REG_X86_IP))

enum { CHAINED, WITH_REGISTERS, FIRST_EVENTS };

static const uint8_t build_id[20] = {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0x01, 0x23,
                                     0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0x01, 0x23, 0x45, 0x67};

static const struct stream_kernel kernel = {
    .build_id = build_id,
    .text = KERNEL_TEXT,
    .text_size = 0x1000,
    .arch = "x86_64",
    .cpu = "a CPU of no maker",
    .cpus = 4,
    .online = 4,
};

static const struct recorded_event first_events[FIRST_EVENTS] = {
    [CHAINED] = {.id = 1,
                 .attr = {.type = PERF_TYPE_BREAKPOINT,
                          .sample_period = 1,
                          .sample_type = CHAINED_TYPE,
                          .bp_type = 3,
                          .bp_addr = KERNEL_FLAG,
                          .bp_len = 4},
                 .name = "mem:kernel_flag:rw"},
    [WITH_REGISTERS] = {.id = 2,
                        .attr = {.type = PERF_TYPE_BREAKPOINT,
                                 .sample_period = 1,
                                 .sample_type = REGISTERS_TYPE,
                                 .sample_regs_intr = REGISTERS,
                                 .bp_type = 4,
                                 .bp_addr = RELEASE_LOCK,
                                 .bp_len = 8},
                        .name = "mem:release_lock:x"},
};

static const struct recorded_event second_event = {.id = 3,
                                                   .attr = {.type = PERF_TYPE_BREAKPOINT,
                                                            .sample_period = 1,
                                                            .sample_type = PLAIN_TYPE,
                                                            .bp_type = 2,
                                                            .bp_addr = KERNEL_FLAG,
                                                            .bp_len = 4},
                                                   .name = "mem:kernel_flag:w"};

/* Records, one after the other, and the source that supplies them. */
struct records {
    struct record_source source;
    uint64_t words[512];
    size_t used, read;
    size_t begun; /* where the current record begins */
};

static void records_rewind(struct record_source *source)
{
    ((struct records *)source)->read = 0;
}

static const struct perf_event_header *records_next(struct record_source *source)
{
    struct records *records = (struct records *)source;
    const struct perf_event_header *record = (const void *)&records->words[records->read];

    if (records->read == records->used) {
        return NULL;
    }
    records->read += record->size / sizeof(uint64_t);
    return record;
}

static void add(struct records *records, uint64_t word)
{
    records->words[records->used++] = word;
}

static void add_pair(struct records *records, uint32_t low, uint32_t high)
{
    add(records, low | (uint64_t)high << 32);
}

static void begin(struct records *records)
{
    records->begun = records->used;
    add(records, 0);
}

static void finish(struct records *records, uint32_t type)
{
    const struct perf_event_header header = {
        .type = type,
        .misc = PERF_RECORD_MISC_KERNEL,
        .size = (uint16_t)((records->used - records->begun) * sizeof(uint64_t)),
    };

    memcpy(&records->words[records->begun], &header, sizeof(header));
}

static void add_chained(struct records *records, uint64_t time, uint32_t tid, uint32_t cpu,
                        uint64_t ip, uint64_t caller)
{
    begin(records);
    add(records, first_events[CHAINED].id);
    add(records, ip);
    add_pair(records, tid, tid);
    add(records, time);
    add(records, KERNEL_FLAG);
    add_pair(records, cpu, 0);
    add(records, 1);
    add(records, 4);
    add(records, PERF_CONTEXT_KERNEL);
    add(records, ip);
    add(records, caller);
    add(records, OUTER);
    finish(records, PERF_RECORD_SAMPLE);
}

static void add_with_registers(struct records *records, uint64_t time, uint32_t tid)
{
    begin(records);
    add(records, first_events[WITH_REGISTERS].id);
    add(records, RELEASE_LOCK);
    add_pair(records, tid, tid);
    add(records, time);
    add(records, PERF_SAMPLE_REGS_ABI_64);
    add(records, 0xaaaa);
    add(records, 0x5555);
    add(records, RELEASE_LOCK);
    finish(records, PERF_RECORD_SAMPLE);
}

static void add_plain(struct records *records, uint64_t time, uint32_t tid, uint64_t ip)
{
    begin(records);
    add(records, second_event.id);
    add(records, ip);
    add_pair(records, tid, tid);
    add(records, time);
    add(records, KERNEL_FLAG);
    finish(records, PERF_RECORD_SAMPLE);
}

/* As the ring writes it for the chained event: its own fields, then the trailer. */
static void add_throttle(struct records *records, uint32_t type, uint64_t time)
{
    begin(records);
    add(records, time);
    add(records, first_events[CHAINED].id);
    add(records, first_events[CHAINED].id);
    add_pair(records, 7, 7);
    add(records, time);
    add_pair(records, 0, 0);
    add(records, first_events[CHAINED].id);
    finish(records, type);
}

static void write_first(struct stream *stream)
{
    static struct records records = {
        .source = {records_rewind, records_next, first_events, FIRST_EVENTS}};
    static const struct recorded_task tasks[] = {{.pid = 7, .tid = 7, .comm = "fs-stress"},
                                                 {.pid = 8, .tid = 8, .comm = "writeback"}};
    static const struct recorded_loss losses[] = {{0, 5, 100}, {1, 0, 20}, {2, 0, 0}};

    records.used = 0;
    for (uint64_t i = 0; i < 6; i++) {
        add_chained(&records, 1000000 + i * 1000, 7, 0, TAKE_LOCK, MIDDLE);
    }
    add_throttle(&records, PERF_RECORD_THROTTLE, 1006000);
    add_with_registers(&records, 1007000, 8);
    add_throttle(&records, PERF_RECORD_UNTHROTTLE, 1008000);
    add_with_registers(&records, 1009000, 7);
    add_chained(&records, 1010000, 8, 1, RELEASE_LOCK, MIDDLE);
    add_chained(&records, 1011000, 7, 0, TAKE_LOCK, OUTER + 8);
    stream_write_recording(stream, &records.source, tasks, 2, losses, 3, 1012000);
}

/* The task ids of the first recording, with another name. */
static void write_second(struct stream *stream)
{
    static struct records records = {.source = {records_rewind, records_next, &second_event, 1}};
    static const struct recorded_task tasks[] = {{.pid = 7, .tid = 7, .comm = "shell"}};
    static const struct recorded_loss losses[] = {{0, 3, 0}};

    records.used = 0;
    add_plain(&records, 2000000, 7, TAKE_LOCK);
    add_plain(&records, 2001000, 7, RELEASE_LOCK);
    add_plain(&records, 2002000, 7, TAKE_LOCK);
    stream_write_recording(stream, &records.source, tasks, 1, losses, 1, 2003000);
}

_Noreturn void assert_failed(const char *claim, const char *file, int line)
{
    fprintf(stderr, "%s:%d: broken: %s\n", file, line, claim);
    abort();
}

static void write_to_stdout(struct sink *sink, const char *bytes, size_t length)
{
    (void)sink;
    fwrite(bytes, 1, length, stdout);
}

static void write_block(struct sink *sink, const char *name, void (*write)(struct stream *stream))
{
    struct base64 base64;
    struct stream stream;

    base64_open(&base64, sink, NULL, name);
    stream_init(&stream, &base64.sink, &kernel);
    write(&stream);
    base64_close(&base64);
}

int main(int argc, char **argv)
{
    struct sink sink = {write_to_stdout};
    struct stream stream;

    if (argc == 2 && strcmp(argv[1], "stream") == 0) {
        stream_init(&stream, &sink, &kernel);
        write_first(&stream);
        write_second(&stream);
    } else if (argc == 2 && strcmp(argv[1], "block") == 0) {
        write_block(&sink, "pitot.perf", write_first);
        write_block(&sink, "pitot-2.perf", write_second);
    } else {
        fprintf(stderr, "usage: stream_sample stream|block\n");
        return 2;
    }
    return fflush(stdout) == 0 ? 0 : 1;
}
