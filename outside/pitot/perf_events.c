/* SPDX-License-Identifier: BSD-2-Clause */
/* See perf_file.h. */
#include <asm/perf_regs.h>
#include <linux/hw_breakpoint.h>
#include <string.h>

#include "outside/pitot/perf_file.h"
#include "outside/wire.h"

/* ax to sp, ip and r8 to r15, as in struct wire_registers; no flags and segments */
#define REGISTERS (((UINT64_C(2) << PERF_REG_X86_IP) - 1) | (UINT64_C(0xff) << PERF_REG_X86_R8))

static const struct events *events;
static struct perf_event_attr attributes[EVENTS_MOST];

_Static_assert((int)WIRE_READ == (int)HW_BREAKPOINT_R && (int)WIRE_WRITE == (int)HW_BREAKPOINT_W,
               "one set of bits");

/*
 * All events have the same fields: `perf script -F addr` refuses a file if one event lacks
 * addresses.
 */
static struct perf_event_attr describe(const struct event *event, uint64_t sample_type)
{
    struct perf_event_attr attribute = {
        .size = PERF_PIPE_ATTR_SIZE,
        .exclude_kernel = 1, /* otherwise perf warns about missing symbols of the host's kernel */
        .type = PERF_TYPE_BREAKPOINT,
        .sample_period = event->period,
        .sample_type = sample_type,
    };

    if (sample_type & PERF_SAMPLE_REGS_INTR)
        attribute.sample_regs_intr = REGISTERS;
    switch (event->kind) {
    case EVENT_INSTRUCTIONS:
        attribute.type = PERF_TYPE_HARDWARE;
        attribute.config = PERF_COUNT_HW_INSTRUCTIONS;
        break;
    case EVENT_MEMORY:
        attribute.bp_type = event->access;
        attribute.bp_addr = event->address;
        attribute.bp_len = event->length;
        break;
    case EVENT_CALLS:
    case EVENT_RETURNS:
        attribute.bp_type = HW_BREAKPOINT_X;
        attribute.bp_addr = event->address;
        attribute.bp_len = sizeof(long);
        break;
    case EVENT_INTERRUPTS: /* perf has no event of this kind */
        attribute.type = PERF_TYPE_RAW;
        break;
    case EVENT_HEAP:
        attribute.type = PERF_TYPE_TRACEPOINT;
        attribute.config = event->address;
        break;
    }
    return attribute;
}

uint64_t perf_events_describe(const struct events *all, const struct pitot_options *options)
{
    uint64_t sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
                           PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU |
                           PERF_SAMPLE_PERIOD;

    if (options->chains)
        sample_type |= PERF_SAMPLE_CALLCHAIN;
    if (events_have(all, EVENT_HEAP))
        sample_type |= PERF_SAMPLE_RAW;
    if (events_have(all, EVENT_RETURNS))
        sample_type |= PERF_SAMPLE_WEIGHT;
    if (options->registers)
        sample_type |= PERF_SAMPLE_REGS_INTR;
    events = all;
    for (unsigned i = 0; i < events->count; i++)
        attributes[i] = describe(&events->event[i], sample_type);
    return sample_type;
}

/* Names an event; the header's features repeat the names once the file is closed. */
static void write_name(uint64_t id, const char *name)
{
    size_t room = strlen(name) + 1;
    struct perf_pipe_event_update *update =
        perf_file_record(PERF_PIPE_EVENT_UPDATE, 0, sizeof(*update) + room);

    update->type = PERF_PIPE_UPDATE_NAME;
    update->id = id;
    memcpy(update + 1, name, room);
}

int perf_events_create(const char *path, struct refusal *why)
{
    int error = perf_file_create(path, attributes, events->count, why);

    for (unsigned i = 0; !error && i < events->count; i++)
        write_name(i + 1, events->event[i].name);
    return error;
}

void perf_events_slide(uint64_t by)
{
    for (unsigned i = 0; i < events->count; i++)
        if (attributes[i].bp_addr && !events->event[i].fixed)
            attributes[i].bp_addr += by;
    perf_file_attributes(attributes, events->count);
}

void perf_events_close(void)
{
    uint32_t head[] = {events->count, PERF_PIPE_ATTR_SIZE};

    perf_file_feature(PERF_FILE_EVENT_DESC, head, sizeof(head));
    for (uint32_t i = 0; i < events->count; i++) {
        uint32_t ids = 1;
        uint64_t id = i + 1;

        perf_file_feature(PERF_FILE_EVENT_DESC, &attributes[i], PERF_PIPE_ATTR_SIZE);
        perf_file_feature(PERF_FILE_EVENT_DESC, &ids, sizeof(ids));
        perf_file_string(PERF_FILE_EVENT_DESC, events->event[i].name);
        perf_file_feature(PERF_FILE_EVENT_DESC, &id, sizeof(id));
    }
}
