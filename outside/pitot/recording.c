/* SPDX-License-Identifier: BSD-2-Clause */
/* See recording.h. */
#include "outside/pitot/recording.h"

#include <asm/perf_regs.h>
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "outside/pitot/contexts.h"
#include "outside/pitot/name.h"
#include "outside/pitot/perf_file.h"
#include "outside/pitot/sample_ring.h"
#include "outside/pitot/threads.h"

#define KERNEL_PID   1
#define PAGE_MASK    UINT64_C(4095)
#define SAMPLE_HEAD  8    /* most words of a sample before its chain, including its header */
#define SAMPLE_TIME  4    /* index of the time in these words */
#define CHAIN_MOST   8000 /* callers: a record is less than 64 KiB */
#define FIELDS_WORDS ((RECORDING_FIELDS + 4 + 7) / 8) /* words, with their size */
#define SAMPLE_MOST  (SAMPLE_HEAD + CHAIN_MOST + FIELDS_WORDS + WIRE_REGISTERS_COUNT + 6)
#define OUTPUT       "perf.data"
#define SYMBOLS      ".symbols"
#define KEPT         (UINT64_C(4) << 20) /* bytes of samples that --overwrite keeps by default */
/* ax to sp, ip and r8 to r15, as in struct wire_registers; no flags and segments */
#define REGISTERS (((UINT64_C(2) << PERF_REG_X86_IP) - 1) | (UINT64_C(0xff) << PERF_REG_X86_R8))
#define COMM_ROOM 64
#define MISC      PERF_RECORD_MISC_USER

static struct {
    const struct kernel *kernel;
    char program[PATH_MAX]; /* the ELF file that perf reads */
    char made[PATH_MAX];    /* the substitute for it, if that is written */
    struct output symbols;
    const struct events *events;
    bool chains, overwrites;
    bool weights; /* samples have the instructions from a call to its return */
    bool has_registers, has_fields;
    uint8_t fields[RECORDING_FIELDS]; /* of the next sample */
    bool registers_known;
    uint64_t registers[WIRE_REGISTERS_COUNT]; /* of the next sample, if known */
    uint64_t samples, cut;
    bool kept; /* an older file, if any, is replaced */
    uint64_t slide;
    uint32_t pids;     /* the highest process so far */
    uint64_t times[2]; /* of the first and the last sample */
    struct perf_event_attr attributes[EVENTS_MOST];
} recording;

/* --- Events --- */

_Static_assert((int)WIRE_READ == (int)HW_BREAKPOINT_R && (int)WIRE_WRITE == (int)HW_BREAKPOINT_W,
               "one set of bits");

/*
 * All events have the same fields: `perf script -F addr` refuses a file if one event lacks
 * addresses.
 */
static void describe(const struct event *event, struct perf_event_attr *attribute)
{
    *attribute = (struct perf_event_attr){
        .size = PERF_PIPE_ATTR_SIZE,
        .exclude_kernel = 1, /* otherwise perf warns about missing symbols of the host's kernel */
        .type = PERF_TYPE_BREAKPOINT,
        .sample_period = event->period,
        .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
                       PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD,
    };
    if (recording.chains)
        attribute->sample_type |= PERF_SAMPLE_CALLCHAIN;
    if (recording.has_fields)
        attribute->sample_type |= PERF_SAMPLE_RAW;
    if (recording.weights)
        attribute->sample_type |= PERF_SAMPLE_WEIGHT;
    if (recording.has_registers) {
        attribute->sample_type |= PERF_SAMPLE_REGS_INTR;
        attribute->sample_regs_intr = REGISTERS;
    }
    switch (event->kind) {
    case EVENT_INSTRUCTIONS:
        attribute->type = PERF_TYPE_HARDWARE;
        attribute->config = PERF_COUNT_HW_INSTRUCTIONS;
        break;
    case EVENT_MEMORY:
        attribute->bp_type = event->access;
        attribute->bp_addr = event->address;
        attribute->bp_len = event->length;
        break;
    case EVENT_CALLS:
    case EVENT_RETURNS:
        attribute->bp_type = HW_BREAKPOINT_X;
        attribute->bp_addr = event->address;
        attribute->bp_len = sizeof(long);
        break;
    case EVENT_INTERRUPTS: /* perf has no event of this kind */
        attribute->type = PERF_TYPE_RAW;
        break;
    case EVENT_HEAP:
        attribute->type = PERF_TYPE_TRACEPOINT;
        attribute->config = event->address;
        break;
    }
}

/* --- Records --- */

static size_t padded(size_t size)
{
    return (size + 7) & ~(size_t)7;
}

static void *begin_record(uint32_t type, uint16_t misc, size_t size)
{
    struct perf_event_header *header = perf_file_record(padded(size));

    *header = (struct perf_event_header){type, misc, (uint16_t)padded(size)};
    return header;
}

/* PERF_RECORD_MMAP2; the file's name follows. */
struct map_record {
    struct perf_event_header header;
    uint32_t pid, tid;
    uint64_t address, size, offset;
    uint8_t build_id_size, reserved[3], build_id[KERNEL_BUILD_ID_MAX];
    uint32_t protection, flags;
};

/* With the build id, perf rejects the symbols of another build at the same path. */
static void write_map(const struct kernel *kernel, const struct segment *segment, uint64_t slide,
                      uint32_t pid)
{
    size_t room = strlen(recording.program) + 1;
    bool known = kernel->build_id_size > 0 && kernel->made < 0; /* a substitute has no build id */
    uint16_t misc = known ? MISC | PERF_RECORD_MISC_MMAP_BUILD_ID : MISC;
    struct map_record *map = begin_record(PERF_RECORD_MMAP2, misc, sizeof(*map) + room);

    map->pid = map->tid = pid;
    map->address = (segment->address + slide) & ~PAGE_MASK;
    map->size = segment->size + (segment->address & PAGE_MASK);
    map->offset = segment->offset & ~PAGE_MASK;
    if (known) {
        map->build_id_size = (uint8_t)kernel->build_id_size;
        memcpy(map->build_id, kernel->build_id, sizeof(map->build_id));
    }
    map->protection = 5; /* PROT_READ | PROT_EXEC */
    map->flags = 2;      /* MAP_PRIVATE */
    memcpy(map + 1, recording.program, room);
}

/* perf shows a mark in a chain by the name of its mapping. */
static void write_mark(uint32_t pid, uint64_t address, const char *name)
{
    size_t room = strlen(name) + 1;
    struct map_record *map = begin_record(PERF_RECORD_MMAP2, MISC, sizeof(*map) + room);

    map->pid = map->tid = pid;
    map->address = address;
    map->size = PAGE_MASK + 1;
    map->protection = 5;
    map->flags = 2;
    memcpy(map + 1, name, room);
}

static void write_maps(uint32_t pid)
{
    for (size_t i = 0; i < recording.kernel->segment_count; i++)
        write_map(recording.kernel, &recording.kernel->code[i], recording.slide, pid);
    write_mark(pid, NAME_NOT_KNOWN, NAME_NOT_KNOWN_TEXT);
    write_mark(pid, NAME_LEFT_OUT, NAME_LEFT_OUT_TEXT);
}

/* perf uses the last map of an address. */
void recording_slide(uint64_t slide)
{
    for (unsigned i = 0; i < recording.events->count; i++)
        if (recording.attributes[i].bp_addr && !recording.events->event[i].fixed)
            recording.attributes[i].bp_addr += slide - recording.slide;
    perf_file_attributes(recording.attributes, recording.events->count);
    recording.slide = slide;
    for (uint32_t pid = KERNEL_PID; pid <= recording.pids; pid++)
        write_maps(pid);
}

/* Names an event; the header's features repeat the names once the file is closed. */
static void write_name(uint64_t id, const char *name)
{
    size_t room = strlen(name) + 1;
    struct perf_pipe_event_update *update =
        begin_record(PERF_PIPE_EVENT_UPDATE, 0, sizeof(*update) + room);

    update->type = PERF_PIPE_UPDATE_NAME;
    update->id = id;
    memcpy(update + 1, name, room);
}

struct comm_record {
    struct perf_event_header header;
    uint32_t pid, tid;
};

static void write_comm(uint32_t pid, uint32_t tid, const char *name)
{
    char comm[COMM_ROOM];
    size_t room = (size_t)snprintf(comm, sizeof(comm), "%s", name) + 1;
    struct comm_record *record;

    room = room < sizeof(comm) ? room : sizeof(comm);
    record = begin_record(PERF_RECORD_COMM, 0, sizeof(*record) + room);
    record->pid = pid;
    record->tid = tid;
    memcpy(record + 1, comm, room);
}

/* Thread 0, with no known stack, is the process itself. */
static uint32_t tid_of(uint32_t thread)
{
    return thread + KERNEL_TID;
}

/* The kernel is process 1; each address space of a program is another. */
static uint32_t pid_of(uint32_t thread)
{
    return KERNEL_PID + threads_space(thread);
}

int recording_thread(const struct wire_thread *thread, struct refusal *why)
{
    int error = threads_add(thread, why);

    if (error || thread->thread == 0)
        return error;
    while (recording.pids < pid_of(thread->thread))
        write_maps(++recording.pids);
    write_comm(pid_of(thread->thread), tid_of(thread->thread), threads_name(thread->thread));
    return 0;
}

/*
 * A thread's outermost function may not be known at its first sample. perf would show it as `:236`,
 * until recording_thread names it.
 */
static int name_unknown(uint32_t number, struct refusal *why)
{
    struct wire_thread thread = {.thread = number, .outermost = NAME_NOT_KNOWN};

    return number == 0 || threads_known(number) ? 0 : recording_thread(&thread, why);
}

/* Of a chain that is too long for a record, both ends, and a mark between them. */
static size_t write_chain(uint64_t *words, const struct wire_sample *sample, size_t depth)
{
    uint32_t context = sample->context;
    size_t count = 3;

    words[1] = PERF_CONTEXT_USER;
    words[2] = sample->ip;
    for (size_t i = 0; i < depth; i++, context = contexts_outer(context))
        if (i < CHAIN_MOST / 2 || depth <= CHAIN_MOST || i >= depth - CHAIN_MOST / 2)
            words[count++] = contexts_caller(context);
        else if (i == CHAIN_MOST / 2)
            words[count++] = NAME_LEFT_OUT;
    words[0] = count - 1;
    return count;
}

void recording_registers(const struct wire_registers *registers)
{
    memcpy(recording.registers, registers->registers, sizeof(recording.registers));
    recording.registers_known = true;
}

static size_t write_registers(uint64_t *words)
{
    bool known = recording.registers_known;

    recording.registers_known = false;
    words[0] = known ? PERF_SAMPLE_REGS_ABI_64 : PERF_SAMPLE_REGS_ABI_NONE;
    if (known)
        memcpy(words + 1, recording.registers, sizeof(recording.registers));
    return known ? 1 + WIRE_REGISTERS_COUNT : 1;
}

void recording_formats(const void *bytes, size_t size)
{
    perf_file_feature(PERF_FILE_TRACING_DATA, bytes, size);
}

void recording_fields(const void *fields)
{
    memcpy(recording.fields, fields, sizeof(recording.fields));
}

/* A size of 4 bytes, and the fields, padded to whole words. */
static size_t write_fields(uint64_t *words)
{
    uint32_t size = FIELDS_WORDS * sizeof(*words) - sizeof(size);
    char *at = (char *)words;

    memset(words, 0, FIELDS_WORDS * sizeof(*words));
    memcpy(at, &size, sizeof(size));
    memcpy(at + sizeof(size), recording.fields, sizeof(recording.fields));
    return FIELDS_WORDS;
}

_Static_assert(SAMPLE_MOST * sizeof(uint64_t) <= UINT16_MAX, "a record's size has 16 bits");

static void write_sample(const uint64_t *words)
{
    const struct perf_event_header *header = (const void *)words;
    uint64_t time = words[SAMPLE_TIME];

    memcpy(perf_file_record(header->size), words, header->size);
    if (recording.samples++ == 0 || time < recording.times[0])
        recording.times[0] = time;
    if (time > recording.times[1])
        recording.times[1] = time;
}

int recording_sample(const struct wire_sample *sample, struct refusal *why)
{
    long depth = contexts_depth(sample->context);
    size_t count = 1;
    uint64_t words[SAMPLE_MOST];
    struct perf_event_header header = {.type = PERF_RECORD_SAMPLE, .misc = MISC};
    int error;

    if (sample->event >= recording.events->count || depth < 0)
        return refuse(why, EINVAL, "the plugin's sample of event %u in context %u is invalid",
                      sample->event, sample->context);
    error = name_unknown(sample->thread, why);
    if (error)
        return error;
    words[count++] = sample->event + 1;
    words[count++] = sample->ip;
    words[count++] = (uint64_t)tid_of(sample->thread) << 32 | pid_of(sample->thread);
    words[count++] = sample->time;
    words[count++] = sample->address;
    words[count++] = sample->head.cpu;
    words[count++] = sample->weight;
    if (recording.chains)
        count += write_chain(words + count, sample, (size_t)depth);
    if (recording.has_fields)
        count += write_fields(words + count);
    if (recording.weights)
        words[count++] = sample->spent;
    if (recording.has_registers)
        count += write_registers(words + count);
    header.size = (uint16_t)(count * sizeof(*words));
    memcpy(words, &header, sizeof(header));
    if (recording.overwrites)
        sample_ring_add((const void *)words);
    else
        write_sample(words);
    recording.cut += recording.chains && depth > CHAIN_MOST;
    return 0;
}

uint64_t recording_samples(void)
{
    return recording.samples;
}

uint64_t recording_cut(void)
{
    return recording.cut;
}

static bool is_stream(const char *path)
{
    return strcmp(path, "-") == 0;
}

/* A stream's is in the current folder, and its alone: it may be read when others have been made. */
static int open_symbols(const char *path, struct refusal *why)
{
    if (is_stream(path)) {
        strcpy(recording.made, "pitot-XXXXXX" SYMBOLS);
        return output_open_new(&recording.symbols, recording.made, SYMBOLS, why);
    }
    if (snprintf(recording.made, PATH_MAX, "%s" SYMBOLS, path) >= PATH_MAX)
        return refuse(why, ENAMETOOLONG,
                      "%s: too long; the path of the symbol file beside it does not fit", path);
    return output_open(&recording.symbols, recording.made, why);
}

/*
 * Sets the program to the kernel's file, or to its substitute, which it writes beside the
 * recording.
 */
static int name_program(const char *path, struct refusal *why)
{
    const char *written;
    int file, error;

    strcpy(recording.program, recording.kernel->path);
    if (recording.kernel->made < 0 || (!is_stream(path) && !output_keeps(path)))
        return 0;
    file = open_symbols(path, why);
    if (file < 0)
        return file;
    error = kernel_write_made(recording.kernel, &recording.symbols, file, why);
    if (error)
        return error;
    written = recording.symbols.part ? recording.symbols.part : recording.made;
    if (!realpath(written, recording.program))
        return refuse(why, errno, "%s: %s", written, strerror(errno));
    if (recording.symbols.part && !is_stream(path))
        recording.program[strlen(recording.program) - strlen(OUTPUT_PART)] = '\0';
    return 0;
}

const char *recording_output(const struct pitot_options *options)
{
    return options->output ? options->output : OUTPUT;
}

int recording_create(const struct pitot_options *options, const struct kernel *kernel,
                     const struct events *events, struct refusal *why)
{
    int error;

    recording.kernel = kernel;
    recording.events = events;
    recording.chains = options->chains;
    recording.overwrites = options->overwrite;
    recording.has_registers = options->registers;
    if (options->overwrite && !sample_ring_create(options->memory ? options->memory : KEPT))
        return refuse(why, ENOMEM, "-m: not enough memory for that size");
    recording.weights = events_have(events, EVENT_RETURNS);
    recording.has_fields = events_have(events, EVENT_HEAP);
    for (unsigned i = 0; i < events->count; i++)
        describe(&events->event[i], &recording.attributes[i]);
    error = name_program(recording_output(options), why);
    if (!error)
        error =
            perf_file_create(recording_output(options), recording.attributes, events->count, why);
    if (error)
        output_drop(&recording.symbols);
    if (error)
        return error;
    for (unsigned i = 0; i < events->count; i++)
        write_name(i + 1, events->event[i].name);
    write_comm(KERNEL_PID, KERNEL_PID, kernel->name);
    recording.pids = KERNEL_PID;
    write_maps(KERNEL_PID);
    return perf_file_flush(why);
}

static int keep(struct refusal *why)
{
    int error = output_keep(&recording.symbols, why);

    if (!error)
        error = perf_file_keep(why);
    recording.kept = !error;
    return error;
}

bool recording_kept(void)
{
    return recording.kept;
}

const char *recording_names(void)
{
    return recording.kept && *recording.made ? recording.made : NULL;
}

int recording_taken(struct refusal *why)
{
    int error = recording.samples > 0 ? keep(why) : 0;

    return error ? error : perf_file_flush(why);
}

/* --- The header's features --- */

static void describe_events(void)
{
    uint32_t head[] = {recording.events->count, PERF_PIPE_ATTR_SIZE};

    perf_file_feature(PERF_FILE_EVENT_DESC, head, sizeof(head));
    for (uint32_t i = 0; i < recording.events->count; i++) {
        uint32_t ids = 1;
        uint64_t id = i + 1;

        perf_file_feature(PERF_FILE_EVENT_DESC, &recording.attributes[i], PERF_PIPE_ATTR_SIZE);
        perf_file_feature(PERF_FILE_EVENT_DESC, &ids, sizeof(ids));
        perf_file_string(PERF_FILE_EVENT_DESC, recording.events->event[i].name);
        perf_file_feature(PERF_FILE_EVENT_DESC, &id, sizeof(id));
    }
}

/*
 * `perf data` crashes without these features; those that the guest does not report are "unknown".
 */
static void describe_machine(uint32_t cpus)
{
    static const enum perf_file_feature unknown[] = {PERF_FILE_HOSTNAME, PERF_FILE_OSRELEASE,
                                                     PERF_FILE_CPUDESC};
    uint32_t both[] = {cpus, cpus};

    for (size_t i = 0; i < sizeof(unknown) / sizeof(*unknown); i++)
        perf_file_string(unknown[i], "unknown");
    perf_file_string(PERF_FILE_CPUID, "unknown,0,0,0"); /* vendor, family: perf annotate wants it */
    perf_file_string(PERF_FILE_ARCH, "x86_64");
    perf_file_feature(PERF_FILE_NRCPUS, both, sizeof(both));
}

int recording_close(uint32_t cpus, int argc, char *const *argv, bool whole, struct refusal *why)
{
    uint64_t sample[(UINT16_MAX + 1) / sizeof(uint64_t)];
    uint32_t words = (uint32_t)argc;
    int error, closing;

    while (recording.overwrites && sample_ring_take(sample))
        write_sample(sample);
    describe_machine(cpus);
    perf_file_feature(PERF_FILE_CMDLINE, &words, sizeof(words));
    for (int i = 0; i < argc; i++)
        perf_file_string(PERF_FILE_CMDLINE, argv[i]);
    describe_events();
    if (recording.samples)
        perf_file_feature(PERF_FILE_SAMPLE_TIME, recording.times, sizeof(recording.times));
    error = perf_file_flush(why);
    if (!error && (whole || recording.samples > 0))
        error = keep(why);
    closing = perf_file_close(error ? NULL : why);
    output_drop(&recording.symbols);
    return error ? error : closing;
}
