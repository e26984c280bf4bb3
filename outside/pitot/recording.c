/* SPDX-License-Identifier: BSD-2-Clause */
/* See recording.h. */
#include "outside/pitot/recording.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "outside/pitot/contexts.h"
#include "outside/pitot/name.h"
#include "outside/pitot/perf_file.h"

#define KERNEL_PID   1
#define SAMPLE_HEAD  8    /* most words of a sample before its chain, including its header */
#define SAMPLE_TIME  4    /* index of the time in these words */
#define CHAIN_MOST   8000 /* callers: a record is less than 64 KiB */
#define FIELDS_WORDS ((RECORDING_FIELDS + 4 + 7) / 8) /* words, with their size */
#define SAMPLE_MOST  (SAMPLE_HEAD + CHAIN_MOST + FIELDS_WORDS + WIRE_REGISTERS_COUNT + 6)
#define OUTPUT       "perf.data"
#define KEPT         (UINT64_C(4) << 20) /* bytes of samples that --overwrite keeps by default */
#define COMM_ROOM    64

static struct {
    const struct events *events;
    uint64_t sample_type; /* PERF_SAMPLE_, of all samples */
    bool overwrites;
    uint8_t fields[RECORDING_FIELDS]; /* of the next sample */
    bool registers_known;
    uint64_t registers[WIRE_REGISTERS_COUNT]; /* of the next sample, if known */
    uint64_t samples, cut;
    bool kept;         /* an older file, if any, is replaced */
    uint32_t pids;     /* the highest process so far */
    uint64_t times[2]; /* of the first and the last sample */
} recording;

/* --- Records --- */

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
    record = perf_file_record(PERF_RECORD_COMM, 0, sizeof(*record) + room);
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

/* perf uses the last map of an address. */
void recording_slide(uint64_t slide)
{
    perf_events_slide(perf_program_slide(slide));
    for (uint32_t pid = KERNEL_PID; pid <= recording.pids; pid++)
        perf_program_map(pid);
}

int recording_thread(const struct wire_thread *thread, struct refusal *why)
{
    int error = threads_add(thread, why);

    if (error || thread->thread == 0)
        return error;
    while (recording.pids < pid_of(thread->thread))
        perf_program_map(++recording.pids);
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

    memcpy(perf_file_record(header->type, header->misc, header->size), words, header->size);
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
    struct perf_event_header header = {.type = PERF_RECORD_SAMPLE, .misc = PERF_RECORD_MISC_USER};
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
    if (recording.sample_type & PERF_SAMPLE_CALLCHAIN)
        count += write_chain(words + count, sample, (size_t)depth);
    if (recording.sample_type & PERF_SAMPLE_RAW)
        count += write_fields(words + count);
    if (recording.sample_type & PERF_SAMPLE_WEIGHT)
        words[count++] = sample->spent;
    if (recording.sample_type & PERF_SAMPLE_REGS_INTR)
        count += write_registers(words + count);
    header.size = (uint16_t)(count * sizeof(*words));
    memcpy(words, &header, sizeof(header));
    if (recording.overwrites)
        sample_ring_add((const void *)words);
    else
        write_sample(words);
    recording.cut += recording.sample_type & PERF_SAMPLE_CALLCHAIN && depth > CHAIN_MOST;
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

const char *recording_output(const struct pitot_options *options)
{
    return options->output ? options->output : OUTPUT;
}

int recording_create(const struct pitot_options *options, const struct kernel *kernel,
                     const struct events *events, struct refusal *why)
{
    int error;

    recording.events = events;
    recording.overwrites = options->overwrite;
    if (options->overwrite && !sample_ring_create(options->memory ? options->memory : KEPT))
        return refuse(why, ENOMEM, "-m: not enough memory for that size");
    recording.sample_type = perf_events_describe(events, options);
    error = perf_program_create(recording_output(options), kernel, why);
    if (!error)
        error = perf_events_create(recording_output(options), why);
    if (error) {
        perf_program_close();
        return error;
    }
    write_comm(KERNEL_PID, KERNEL_PID, kernel->name);
    recording.pids = KERNEL_PID;
    perf_program_map(KERNEL_PID);
    return perf_file_flush(why);
}

static int keep(struct refusal *why)
{
    int error = perf_program_keep(why);

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
    return recording.kept ? perf_program_symbols() : NULL;
}

int recording_taken(struct refusal *why)
{
    int error = recording.samples > 0 ? keep(why) : 0;

    return error ? error : perf_file_flush(why);
}

/* --- The header's features --- */

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
    perf_events_close();
    if (recording.samples)
        perf_file_feature(PERF_FILE_SAMPLE_TIME, recording.times, sizeof(recording.times));
    error = perf_file_flush(why);
    if (!error && (whole || recording.samples > 0))
        error = keep(why);
    closing = perf_file_close(error ? NULL : why);
    perf_program_close();
    return error ? error : closing;
}
