/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Invents a recording from a seed and writes it twice: as the stream that the real perf reads, and
 * as the texts that the kernel's own report and script print of it. tests/host/report_perf.t
 * requires perf to print the same. The recordings have many chains with common beginnings, equal
 * counts, addresses outside of any function or just past one, chains that are too long or empty,
 * chains that continue in programs, periods from 0 to huge, events with and without chains.
 *
 * usage: report_sample assembly PART
 *            the fake kernel's source
 *        report_sample program NUMBER
 *            that of one of the programs that processes run
 *        report_sample SEED DIRECTORY GRAPH[:OPTION:VALUE]...
 *            stream; for each the report with -g GRAPH and those options, in a file of that name;
 *            and script, registers where perf can print them, stack with the first addresses of
 *            each chain
 *
 * links: tests/host/fake_symbols.c
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/lib/assert.h"
#include "core/perf/option_table.h"
#include "core/sample/records.h"
#include "core/script/script.h"
#include "core/stream/stream.h"
#include "tests/host/fake_symbols.h"

#define EVENTS_MOST    4
#define TEMPLATES_MOST 60
#define DEPTH_MOST     150
#define ALL_REGISTERS                                                                              \
    0xff0fffu /* perf has no DS, ES, FS, GS in a kernel sample, but prints existing values */
#define COMMON_TYPE                                                                                \
    (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU)

struct call_path {
    size_t depth;
    uint64_t address[DEPTH_MOST]; /* the hit first */
};

/* The properties of the recording for a seed. */
struct character {
    unsigned int functions; /* only this many are called */
    unsigned int depth;
    unsigned int period_kind;
    unsigned int templates;
    bool comb; /* every path leaves the previous one a little further in: forks within forks */
};

/* Records, one after the other, and the source that hands them out. */
struct recording {
    struct record_source source;
    struct recorded_event events[EVENTS_MOST];
    uint64_t *words;
    size_t used, read, room;
    size_t begun; /* where the current record begins */
};

struct file_sink {
    struct sink sink;
    FILE *file;
};

static uint64_t random_state;

static uint64_t random_word(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state * UINT64_C(0x2545f4914f6cdd1d);
}

static uint64_t random_below(uint64_t limit)
{
    return (random_word() >> 11) % limit;
}

const char *comm_of(uint32_t tid)
{
    static const char *const names[] = {"swapper", "init", "fs-stress"};

    return tid < sizeof(names) / sizeof(names[0]) ? names[tid] : "";
}

_Noreturn void assert_failed(const char *claim, const char *file, int line)
{
    fprintf(stderr, "%s:%d: broken: %s\n", file, line, claim);
    abort();
}

static void write_to_file(struct sink *sink, const char *bytes, size_t length)
{
    fwrite(bytes, 1, length, ((struct file_sink *)sink)->file);
}

static void rewind_recording(struct record_source *source)
{
    ((struct recording *)source)->read = 0;
}

static const struct perf_event_header *next_record(struct record_source *source)
{
    struct recording *recording = (struct recording *)source;
    const struct perf_event_header *record = (const void *)&recording->words[recording->read];

    if (recording->read == recording->used)
        return NULL;
    recording->read += record->size / sizeof(uint64_t);
    return record;
}

static void add(struct recording *recording, uint64_t word)
{
    if (recording->used == recording->room) {
        recording->room = recording->room * 2 + 1024;
        recording->words = realloc(recording->words, recording->room * sizeof(uint64_t));
        if (recording->words == NULL)
            abort();
    }
    recording->words[recording->used++] = word;
}

static void begin(struct recording *recording)
{
    recording->begun = recording->used;
    add(recording, 0);
}

static void finish(struct recording *recording, uint32_t type, uint16_t misc)
{
    const struct perf_event_header header = {
        .type = type,
        .misc = misc,
        .size = (uint16_t)((recording->used - recording->begun) * sizeof(uint64_t)),
    };

    memcpy(&recording->words[recording->begun], &header, sizeof(header));
}

/* Usually in a function, including its first byte; sometimes in none. */
static uint64_t random_hit(const struct character *character)
{
    struct symbol symbol = fake_symbols_at(random_below(character->functions));

    if (random_below(40) == 0)
        return random_below(3) * 0x1234;
    return symbol.address + random_below(symbol.size);
}

/*
 * A return address may also be the first one past the function, in padding or in the next function.
 */
static uint64_t random_caller(const struct character *character)
{
    struct symbol symbol = fake_symbols_at(random_below(character->functions));

    if (random_below(40) == 0)
        return symbol.address + symbol.size;
    return random_hit(character);
}

/* More often than not, its outer part is that of an older path. */
static void make_path(struct call_path *paths, size_t count, const struct character *character)
{
    struct call_path *path = &paths[count];
    size_t kept = 0; /* of the outer part of an older path */

    path->depth = character->comb ? character->depth : random_below(character->depth + 1);
    if (count > 0 && path->depth > 0 && (character->comb || random_below(4) != 0)) {
        const struct call_path *older = &paths[character->comb ? count - 1 : random_below(count)];
        kept = character->comb ? 2 * count : random_below(older->depth + 1);
        kept = kept < older->depth ? kept : older->depth;
        kept = kept < path->depth ? kept : path->depth - 1;
        memcpy(&path->address[path->depth - kept], &older->address[older->depth - kept],
               kept * sizeof(uint64_t));
    }
    for (size_t i = 0; i < path->depth - kept; i++)
        path->address[i] = i == 0 ? random_hit(character) : random_caller(character);
    if (character->comb)
        path->address[0] = fake_symbols_at(0).address;
}

static uint64_t random_period(unsigned int kind)
{
    switch (kind) {
    case 0:
    case 1:
        return 1;
    case 2:
        return 1 + random_below(4);
    case 3:
        return random_below(2);
    case 4:
        return random_below(1000000);
    default:
        return random_word() >> (14 + random_below(50));
    }
}

/*
 * An address in one of the program's functions; sometimes one that is not mapped, and, for a
 * caller, one just past a function.
 */
static uint64_t random_user_address(uint64_t tid, bool hit)
{
    unsigned int program = tid < FAKE_PROGRAM_PID(0) ? 0 : (unsigned int)tid - FAKE_PROGRAM_PID(0);
    struct symbol symbol = fake_program_at(program, random_below(fake_program_count(program)));

    if (random_below(50) == 0)
        return 0x10000 + random_below(3);
    return symbol.address + random_below(symbol.size + (!hit && random_below(40) == 0) * 16);
}

/* The path that led into the kernel, or was hit itself. */
static size_t make_user_path(uint64_t *path, uint64_t tid)
{
    size_t depth = tid >= FAKE_PROGRAM_PID(0) ? random_below(6) : 0;

    for (size_t i = 0; i < depth; i++)
        path[i] = random_user_address(tid, i == 0);
    return depth;
}

static void add_chain(struct recording *recording, const struct call_path *kernel,
                      const uint64_t *user, size_t user_depth)
{
    size_t depth = kernel->depth;

    if (user_depth > 0 && depth + user_depth > PERF_MAX_STACK_DEPTH)
        depth = PERF_MAX_STACK_DEPTH - user_depth;
    add(recording, (depth || !user_depth ? depth + 1 : 0) + (user_depth ? user_depth + 1 : 0));
    if (depth || !user_depth)
        add(recording, (uint64_t)PERF_CONTEXT_KERNEL);
    for (size_t i = 0; i < depth; i++)
        add(recording, kernel->address[i]);
    if (user_depth)
        add(recording, (uint64_t)PERF_CONTEXT_USER);
    for (size_t i = 0; i < user_depth; i++)
        add(recording, user[i]);
}

static void add_sample(struct recording *recording, const struct recorded_event *event,
                       uint64_t time, const struct call_path *path,
                       const struct character *character)
{
    uint64_t fields = event->attr.sample_type;
    uint64_t tid = random_below(4);
    bool user = random_below(tid >= FAKE_PROGRAM_PID(0) ? 3 : 50) == 0;
    uint64_t ip = user ? random_user_address(tid, true) : random_hit(character);
    static const struct call_path nothing;
    uint64_t user_path[6];
    size_t user_depth = make_user_path(user_path, tid);

    if (user && user_depth > 0)
        ip = user_path[0];
    if (user && tid >= FAKE_PROGRAM_PID(0))
        path = &nothing;
    if (path->depth > 0 && !user && random_below(20) != 0)
        ip = path->address[0];
    begin(recording);
    add(recording, event->id);
    add(recording, ip);
    add(recording, tid | tid << 32);
    add(recording, time);
    if (fields & PERF_SAMPLE_ADDR)
        add(recording, FAKE_TEXT + 0x100000);
    add(recording, random_below(3));
    if (fields & PERF_SAMPLE_PERIOD)
        add(recording, random_period(character->period_kind));
    if (fields & PERF_SAMPLE_CALLCHAIN) {
        add_chain(recording, path, user_path, user_depth);
    }
    if (fields & PERF_SAMPLE_REGS_INTR) {
        add(recording, PERF_SAMPLE_REGS_ABI_64);
        for (uint64_t mask = event->attr.sample_regs_intr; mask != 0; mask &= mask - 1)
            add(recording, random_word() >> random_below(64));
    }
    finish(recording, PERF_RECORD_SAMPLE, user ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL);
}

static void add_lost(struct recording *recording, uint64_t time)
{
    uint64_t id = recording->events[0].id;

    begin(recording);
    add(recording, id);
    add(recording, 1 + random_below(100));
    add(recording, 0);
    add(recording, time);
    add(recording, 0);
    add(recording, id);
    finish(recording, PERF_RECORD_LOST, 0);
}

static struct recorded_event make_event(uint64_t id, bool registers)
{
    static const char *const names[] = {"mem:kernel_flag:rw", "mem:x:w", "mem:0x1234/8:r",
                                        "5:0x10"};
    struct recorded_event event = {.id = id};

    event.attr.type = PERF_TYPE_BREAKPOINT;
    event.attr.bp_type = 3;
    event.attr.bp_addr = FAKE_TEXT + 0x100000;
    event.attr.bp_len = 4;
    event.attr.sample_type = COMMON_TYPE;
    event.attr.sample_period = random_below(4) == 0 ? 1000 : 1;
    if (random_below(10) != 0)
        event.attr.sample_type |= PERF_SAMPLE_PERIOD;
    if (random_below(2) == 0)
        event.attr.sample_type |= PERF_SAMPLE_ADDR;
    if (random_below(4) != 0)
        event.attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
    if (registers) {
        event.attr.sample_type |= PERF_SAMPLE_REGS_INTR;
        event.attr.sample_regs_intr = random_below(2) ? ALL_REGISTERS : 1 + random_below(0x1ff);
    }
    snprintf(event.name, sizeof(event.name), "%s", names[id % 4]);
    return event;
}

/* 1 to 2000, small numbers as often as large ones, including those where perf switches to 1K. */
static size_t random_sample_count(void)
{
    return random_below(8) == 0 ? 999 + random_below(4)
                                : 1 + random_below(random_below(2) ? 2000 : 20);
}

static void make_recording(struct recording *recording)
{
    static struct call_path paths[TEMPLATES_MOST];
    bool registers = random_below(3) == 0;
    uint64_t time = 1000000000 + random_below(10000000000);
    struct character character = {
        .functions = 2 + (unsigned int)random_below(fake_symbols_count() - 1),
        .depth = random_below(5) == 0 ? DEPTH_MOST : 1 + (unsigned int)random_below(15),
        .period_kind = (unsigned int)random_below(6),
        .templates = 1 + (unsigned int)random_below(TEMPLATES_MOST),
        .comb = random_below(6) == 0,
    };
    if (character.comb)
        character.depth = DEPTH_MOST;

    recording->source = (struct record_source){rewind_recording, next_record, recording->events,
                                               1 + random_below(EVENTS_MOST)};
    for (size_t i = 0; i < recording->source.event_count; i++)
        recording->events[i] = make_event(101 + i, registers);
    for (size_t i = 0; i < character.templates; i++)
        make_path(paths, i, &character);
    for (size_t left = random_sample_count(); left > 0; left--) {
        size_t event = random_below(recording->source.event_count);
        add_sample(recording, &recording->events[event], time,
                   &paths[random_below(character.templates)], &character);
        time += random_below(5) * random_below(1000000);
        if (random_below(100) == 0)
            add_lost(recording, time);
    }
}

static bool every_event_has(const struct recording *recording, uint64_t field)
{
    for (size_t i = 0; i < recording->source.event_count; i++) {
        if (!(recording->events[i].attr.sample_type & field))
            return false;
    }
    return true;
}

static struct file_sink open_sink(const char *directory, const char *name)
{
    char path[1024];
    struct file_sink sink = {.sink = {write_to_file}};

    snprintf(path, sizeof(path), "%s/%s", directory, name);
    sink.file = fopen(path, "wb");
    if (sink.file == NULL) {
        perror(path);
        exit(1);
    }
    return sink;
}

static void write_stream(struct recording *recording, const char *directory)
{
    static const uint8_t build_id[20] = {0x01}; /* the ids that the test links */
    static const uint8_t program_ids[FAKE_PROGRAMS][20] = {{0x02}, {0x03}};
    struct recorded_task tasks[3 + FAKE_PROGRAMS] = {{.pid = 0, .tid = 0, .comm = "swapper"},
                                                     {.pid = 1, .tid = 1, .comm = "init"},
                                                     {.pid = 2, .tid = 2, .comm = "fs-stress"}};
    const struct stream_kernel kernel = {.build_id = build_id,
                                         .text = FAKE_TEXT,
                                         .text_size = fake_symbols_text_size(),
                                         .arch = "x86_64"};
    struct file_sink sink = open_sink(directory, "stream");
    struct stream stream;

    for (unsigned int i = 0; i < FAKE_PROGRAMS; i++)
        tasks[3 + i] = (struct recorded_task){.pid = FAKE_PROGRAM_PID(i),
                                              .tid = FAKE_PROGRAM_PID(i),
                                              .comm = fake_program_path(i),
                                              .start = FAKE_PROGRAM_TEXT,
                                              .size = 4096,
                                              .offset = FAKE_PROGRAM_OFFSET,
                                              .build_id = program_ids[i]};
    stream_init(&stream, &sink.sink, &kernel);
    stream_write_recording(&stream, &recording->source, tasks, 3 + FAKE_PROGRAMS, NULL, 0,
                           UINT64_C(1) << 40);
    fclose(sink.file);
}

static void write_report(struct recording *recording, const char *directory, const char *name)
{
    static char memory[64 << 20];
    char report[] = "report", option[] = "-g", text[200];
    char *words[8] = {report, option};
    int count = 2;
    struct report_options options;
    struct refusal why;

    snprintf(text, sizeof(text), "%s", name);
    for (char *word = strtok(text, ":"); word && count < 8; word = strtok(NULL, ":"))
        words[count++] = word;
    if (report_options_parse(count, words, &options, &why) != 0) {
        fprintf(stderr, "%s\n", why.text);
        exit(2);
    }
    struct file_sink sink = open_sink(directory, name);
    int error = report_print(&sink.sink, &recording->source, &options, memory, sizeof(memory));
    fclose(sink.file);
    if (error != 0) {
        fprintf(stderr, "report_print: %d\n", error);
        exit(1);
    }
}

static void write_script(struct recording *recording, const char *directory, const char *name,
                         struct script_options options)
{
    struct file_sink sink = open_sink(directory, name);
    bool more;

    script_print(&sink.sink, &recording->source, &options, &more);
    fclose(sink.file);
}

int main(int argc, char **argv)
{
    static struct recording recording;

    if (argc < 3) {
        fprintf(stderr, "usage: report_sample assembly PART | report_sample program NUMBER | "
                        "report_sample SEED DIRECTORY GRAPH...\n");
        return 2;
    }
    if (strcmp(argv[1], "assembly") == 0) {
        fake_symbols_write(stdout, (unsigned int)atoi(argv[2]) % FAKE_PARTS);
        return 0;
    }
    if (strcmp(argv[1], "program") == 0) {
        fake_program_write(stdout, (unsigned int)atoi(argv[2]) % FAKE_PROGRAMS);
        return 0;
    }
    random_state = strtoull(argv[1], NULL, 0) * UINT64_C(0x9e3779b97f4a7c15) + 1;
    make_recording(&recording);
    write_stream(&recording, argv[2]);
    for (int i = 3; i < argc; i++)
        write_report(&recording, argv[2], argv[i]);
    /* If an event lacks a column, perf does not leave the column out, but refuses. */
    if (every_event_has(&recording, PERF_SAMPLE_PERIOD))
        write_script(&recording, argv[2], "script", (struct script_options){.registers = false});
    if (every_event_has(&recording, PERF_SAMPLE_PERIOD) &&
        every_event_has(&recording, PERF_SAMPLE_REGS_INTR))
        write_script(&recording, argv[2], "registers", (struct script_options){.registers = true});
    if (every_event_has(&recording, PERF_SAMPLE_PERIOD))
        write_script(&recording, argv[2], "stack", (struct script_options){.max_stack = 3});
    free(recording.words);
    return 0;
}
