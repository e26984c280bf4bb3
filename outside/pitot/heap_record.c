/* SPDX-License-Identifier: BSD-2-Clause */
/* The file of `pitot heap` (heap.h). core/abi/perf_pipe.h has the source of its fields. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/abi/perf_pipe.h"
#include "outside/pitot/contexts.h"
#include "outside/pitot/heap.h"
#include "outside/pitot/name.h"
#include "outside/pitot/recording.h"

#define OUTPUT "heap.data"
#define PAGE   4096

enum { PEAK = WIRE_HEAP_KINDS, LIVE, KINDS };

/* The fields of every event, in a record of tracing. */
struct fields {
    uint16_t type; /* the number of its format */
    uint8_t flags, preempt_count;
    int32_t pid;
    uint64_t object, size;
    int64_t offset; /* of the access, or of what was freed */
    uint64_t age;   /* instructions since the free, or the allocation; 0: on another CPU */
};

_Static_assert(sizeof(struct fields) == RECORDING_FIELDS, "recording_fields");

static struct events events;
static char names[KINDS][32] = {
    [WIRE_HEAP_FREED] = "heap:use_after_free",
    [WIRE_HEAP_BESIDE] = "heap:out_of_bounds",
    [WIRE_HEAP_TWICE] = "heap:double_free",
    [WIRE_HEAP_MIDDLE] = "heap:free_of_middle",
    [WIRE_HEAP_NO_OBJECT] = "heap:free_of_no_object",
    [WIRE_HEAP_FOREIGN] = "heap:foreign_free",
    [PEAK] = "heap:peak",
    [LIVE] = "heap:live",
};

const char *heap_record_output(const struct pitot_options *options)
{
    return options->output ? options->output : OUTPUT;
}

/* --- The description of the fields --- */

static void put_u32(FILE *file, uint32_t value)
{
    fwrite(&value, sizeof(value), 1, file);
}

static void put_text(FILE *file, const char *name, const char *text)
{
    uint64_t size = strlen(text);

    fwrite(name, strlen(name) + 1, 1, file);
    fwrite(&size, sizeof(size), 1, file);
    fwrite(text, size, 1, file);
}

#define PUT_FIELD(text, type, name, member, is_signed)                                             \
    fprintf(text, "\tfield:%s %s;\toffset:%zu;\tsize:%zu;\tsigned:%d;\n", type, name,              \
            offsetof(struct fields, member), sizeof(((struct fields *)NULL)->member), is_signed)

static int put_format(FILE *file, unsigned kind)
{
    char *format = NULL;
    size_t size;
    FILE *text = open_memstream(&format, &size);
    uint64_t length;

    if (!text)
        return -ENOMEM;
    fprintf(text, "name: %s\nID: %u\nformat:\n", strchr(names[kind], ':') + 1, kind + 1);
    PUT_FIELD(text, "unsigned short", "common_type", type, 0);
    PUT_FIELD(text, "unsigned char", "common_flags", flags, 0);
    PUT_FIELD(text, "unsigned char", "common_preempt_count", preempt_count, 0);
    PUT_FIELD(text, "int", "common_pid", pid, 1);
    fputc('\n', text);
    PUT_FIELD(text, "unsigned long", "object", object, 0);
    PUT_FIELD(text, "unsigned long", "size", size, 0);
    PUT_FIELD(text, "long", "offset", offset, 1);
    PUT_FIELD(text, "unsigned long", "age", age, 0);
    fputs("\nprint fmt: \"object=0x%lx size=%lu offset=%ld age=%lu\", REC->object, REC->size, "
          "REC->offset, REC->age\n",
          text);
    if (fclose(text) != 0)
        return -ENOMEM;
    length = size;
    fwrite(&length, sizeof(length), 1, file);
    fwrite(format, size, 1, file);
    free(format);
    return 0;
}

static int describe_fields(struct refusal *why)
{
    static const char magic[] = TRACING_DATA_MAGIC, ends[16];
    char *bytes = NULL;
    size_t size;
    FILE *file = open_memstream(&bytes, &size);
    int error = 0;

    if (!file)
        return refuse(why, ENOMEM, "out of memory");
    fwrite(magic, sizeof(magic), 1, file);
    fputc(0, file); /* little endian */
    fputc(sizeof(long), file);
    put_u32(file, PAGE);
    put_text(file, "header_page", TRACING_DATA_HEADER_PAGE);
    put_text(file, "header_event", "\n");
    put_u32(file, 0); /* events of ftrace itself */
    put_u32(file, 1); /* systems */
    fwrite("heap", sizeof("heap"), 1, file);
    put_u32(file, KINDS);
    for (unsigned kind = 0; kind < KINDS && !error; kind++)
        error = put_format(file, kind);
    fwrite(ends, sizeof(ends), 1, file); /* no symbols, no printk formats, no tasks */
    if (fclose(file) != 0 || error)
        return refuse(why, ENOMEM, "out of memory");
    recording_formats(bytes, size);
    free(bytes);
    return 0;
}

int heap_record_create(const struct pitot_options *options, const struct kernel *kernel,
                       struct refusal *why)
{
    struct pitot_options all = *options;
    int error;

    all.chains = true;
    all.output = heap_record_output(options);
    for (unsigned kind = 0; kind < KINDS; kind++)
        events.event[kind] = (struct event){
            .kind = EVENT_HEAP, .name = names[kind], .period = 1, .address = kind + 1};
    events.count = KINDS;
    error = recording_create(&all, kernel, &events, why);
    return error ? error : describe_fields(why);
}

/* --- Records --- */

static int write_sample(const struct fields *fields, struct wire_sample *sample,
                        struct refusal *why)
{
    struct fields typed = *fields;

    typed.type = (uint16_t)(sample->event + 1);
    recording_fields(&typed);
    return recording_sample(sample, why);
}

/* Clocks of different CPUs cannot be compared. */
static uint64_t age_of(const struct wire_heap *report)
{
    const struct wire_touch *last = report->freed.time ? &report->freed : &report->allocated;

    return report->object && last->cpu == report->head.cpu ? report->time - last->time : 0;
}

int heap_record_report(const struct wire_heap *report, uint64_t hits, struct refusal *why)
{
    struct fields fields = {.object = report->object, .size = report->size, .age = age_of(report)};
    struct wire_sample sample = {.head = report->head,
                                 .event = report->kind,
                                 .thread = report->thread,
                                 .context = report->context,
                                 .ip = report->ip,
                                 .time = report->time,
                                 .weight = hits,
                                 .address = report->address};

    if (report->object)
        fields.offset = (int64_t)(report->address - report->object);
    return write_sample(&fields, &sample, why);
}

static int write_bytes(const struct wire_live *live, unsigned kind, uint64_t bytes,
                       struct refusal *why)
{
    struct fields fields = {.size = bytes};
    struct wire_sample sample = {.event = kind,
                                 .context = live->context ? contexts_outer(live->context) : 0,
                                 .ip = live->context ? contexts_caller(live->context)
                                                     : NAME_NOT_KNOWN,
                                 .weight = bytes};

    return bytes ? write_sample(&fields, &sample, why) : 0;
}

int heap_record_live(const struct wire_live *live, struct refusal *why)
{
    int error = write_bytes(live, PEAK, live->peak, why);

    return error ? error : write_bytes(live, LIVE, live->bytes, why);
}

int heap_record_close(const struct command *command, const struct watch *watch, struct refusal *why)
{
    return recording_close(watch->cpus ? watch->cpus : 1, command->argc, command->argv,
                           watch_ran(watch), why);
}
