/* SPDX-License-Identifier: BSD-2-Clause */
/* See events.h. */
#include "outside/plugin/events.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "outside/plugin/follow.h"
#include "outside/plugin/tell.h"
#include "outside/plugin/window.h"

static struct event {
    enum { EVENT_INSTRUCTIONS, EVENT_ACCESS, EVENT_CALL, EVENT_RETURN, EVENT_INTERRUPT } kind;
    uint64_t period, hits;
    uint64_t left; /* hits until the next sample */
    uint64_t first, last;
    bool moves;          /* `first` and `last` are addresses in the file, so the slide moves them */
    unsigned access;     /* bits of enum wire_access */
    uint64_t *functions; /* sorted */
    size_t function_count;
    unsigned vector_first, vector_last; /* of interrupts */
    bool stops;
} events[EVENTS_MOST];

#define VECTORS     256
#define ACCESS_MOST 64 /* bytes of the longest access: a vector register */

static unsigned count;
static bool stopped;
static uint64_t due[FOLLOW_CPUS][EVENTS_MOST]; /* instructions already represented by samples */

static struct range {
    uint64_t first, last;
} around = {UINT64_MAX, 0}; /* all memory events */

uint64_t events_begin = UINT64_MAX, events_span;
static uint64_t slide;

/* Each CPU's last access, if it was a read: maybe the first half of a read-modify-write. */
static struct {
    uint64_t ip, address;
} read_before[FOLLOW_CPUS];

/* --- Arguments. --- */

static bool take_period(const char *text, struct event *event)
{
    char *end;

    event->period = event->left = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == '\0';
}

static void watch_range(const struct event *event)
{
    if (event->first < around.first)
        around.first = event->first;
    if (event->last > around.last)
        around.last = event->last;
    events_begin = around.first < ACCESS_MOST ? 0 : around.first - (ACCESS_MOST - 1);
    events_span = around.last - events_begin;
}

static const char *add_access(const char *text, struct event *event)
{
    char kind[3];
    uint64_t length;

    if (sscanf(text, "%" SCNx64 ":%" SCNu64 ":%2[rw]:%" SCNu64, &event->first, &length, kind,
               &event->period) != 4 ||
        length == 0)
        return "mem: or at:ADDRESS:LENGTH:r|w|rw:PERIOD";
    event->left = event->period;
    event->last = event->first + length - 1;
    event->access = (strchr(kind, 'r') ? WIRE_READ : 0) | (strchr(kind, 'w') ? WIRE_WRITE : 0);
    watch_range(event);
    return NULL;
}

static int compare(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return a < b ? -1 : a > b;
}

static bool read_functions(const char *path, struct event *event)
{
    FILE *file = fopen(path, "r");
    size_t room = 0;
    uint64_t address;

    if (!file)
        return false;
    while (fscanf(file, "%" SCNx64, &address) == 1) {
        if (event->function_count == room) {
            uint64_t *more;

            room = room ? 2 * room : 64;
            more = realloc(event->functions, room * sizeof(*more));
            if (!more) {
                fclose(file);
                return false;
            }
            event->functions = more;
        }
        event->functions[event->function_count++] = address;
    }
    fclose(file);
    if (event->function_count > 0)
        qsort(event->functions, event->function_count, sizeof(address), compare);
    return event->function_count > 0;
}

/* A vector that is not known is none of a narrower range. */
static const char *add_interrupts(const char *text, struct event *event)
{
    if (sscanf(text, "%u-%u:%" SCNu64, &event->vector_first, &event->vector_last, &event->period) !=
        3)
        return "irq:FIRST-LAST:PERIOD";
    event->left = event->period;
    return NULL;
}

static const char *add_functions(const char *text, struct event *event)
{
    const char *colon = strrchr(text, ':');
    char path[4096];

    if (!colon || (size_t)(colon - text) >= sizeof(path) || !take_period(colon + 1, event))
        return "call|return:FILE:PERIOD";
    memcpy(path, text, (size_t)(colon - text));
    path[colon - text] = '\0';
    return read_functions(path, event) ? NULL : "a file with addresses";
}

const char *events_add(const char *argument, bool stops)
{
    struct event *event = &events[count];
    const char *wrong;

    if (count == EVENTS_MOST)
        return "too many events";
    if (strncmp(argument, "insn:", 5) == 0) {
        event->kind = EVENT_INSTRUCTIONS;
        wrong = take_period(argument + 5, event) ? NULL : "insn:PERIOD";
    } else if (strncmp(argument, "mem:", 4) == 0 || strncmp(argument, "at:", 3) == 0) {
        event->kind = EVENT_ACCESS;
        event->moves = *argument == 'm';
        wrong = add_access(strchr(argument, ':') + 1, event);
    } else if (strncmp(argument, "call:", 5) == 0) {
        event->kind = EVENT_CALL;
        wrong = add_functions(argument + 5, event);
    } else if (strncmp(argument, "return:", 7) == 0) {
        event->kind = EVENT_RETURN;
        wrong = add_functions(argument + 7, event);
    } else if (strncmp(argument, "irq:", 4) == 0) {
        event->kind = EVENT_INTERRUPT;
        wrong = add_interrupts(argument + 4, event);
    } else {
        wrong = "insn, mem, at, call, return or irq";
    }
    event->stops = stops;
    count += !wrong;
    return wrong;
}

void events_slide(uint64_t by)
{
    slide += by;
    around = (struct range){UINT64_MAX, 0};
    for (struct event *event = events; event < events + count; event++) {
        if (event->kind != EVENT_ACCESS)
            continue;
        event->first += event->moves ? by : 0;
        event->last += event->moves ? by : 0;
        watch_range(event);
    }
}

/* --- Hits. --- */

bool events_watch(void)
{
    return around.first <= around.last;
}

static bool has_function(const struct event *event, uint64_t address)
{
    return bsearch(&address, event->functions, event->function_count, sizeof(address), compare);
}

bool events_call(uint64_t address)
{
    for (unsigned i = 0; i < count; i++)
        if (events[i].kind == EVENT_CALL && has_function(&events[i], address))
            return true;
    return false;
}

bool events_returns(void)
{
    for (unsigned i = 0; i < count; i++)
        if (events[i].kind == EVENT_RETURN)
            return true;
    return false;
}

bool events_instructions(void)
{
    for (unsigned i = 0; i < count; i++)
        if (events[i].kind == EVENT_INSTRUCTIONS && events[i].period > 0)
            return true;
    return false;
}

static void sample_of(const struct event *event, unsigned cpu, struct wire_sample *sample)
{
    if (!window_takes_sample())
        return;
    sample->event = (uint32_t)(event - events);
    sample->thread = follow_thread(cpu);
    if (event->kind != EVENT_RETURN) /* a return has already left its context */
        sample->context = follow_context(cpu);
    sample->weight = event->period;
    tell_sample(sample, cpu);
}

static void hit(struct event *event, unsigned cpu, struct wire_sample *sample)
{
    if (!window_open())
        return;
    event->hits++;
    stopped |= event->stops;
    if (event->period == 0 || --event->left > 0)
        return;
    event->left = event->period;
    sample_of(event, cpu, sample);
}

/* Periods count from the CPU's first instruction, so other CPUs do not change its samples. */
uint64_t events_on_instructions(unsigned cpu, uint64_t time, uint64_t ip)
{
    uint64_t next = UINT64_MAX;

    for (unsigned i = 0; i < count; i++) {
        struct event *event = &events[i];

        if (event->kind != EVENT_INSTRUCTIONS || event->period == 0)
            continue;
        while (due[cpu][i] + event->period <= time) {
            struct wire_sample sample = {.ip = ip, .time = time};

            due[cpu][i] += event->period;
            if (window_open())
                sample_of(event, cpu, &sample);
        }
        if (due[cpu][i] + event->period < next)
            next = due[cpu][i] + event->period;
    }
    return next;
}

/*
 * QEMU reports a read-modify-write as a read and a write of the same bytes by the same instruction,
 * or as both at once. It is one hit, as with a debug register.
 */
void events_on_access(unsigned cpu, uint64_t time, uint64_t ip, uint64_t address, unsigned length,
                      unsigned access)
{
    uint64_t last = address + length - 1;
    struct wire_sample sample;
    bool second;

    if (!window_open() || address > around.last || last < around.first)
        return;
    sample = (struct wire_sample){
        .ip = ip, .time = time, .address = address, .length = length, .access = access};
    second =
        access & WIRE_WRITE && read_before[cpu].ip == ip && read_before[cpu].address == address;
    for (unsigned i = 0; i < count; i++) {
        struct event *event = &events[i];

        if (event->kind != EVENT_ACCESS || address > event->last || last < event->first ||
            !(event->access & access) || (second && event->access & WIRE_READ))
            continue;
        hit(event, cpu, &sample);
    }
    read_before[cpu].ip = access == WIRE_READ ? ip : 0;
    read_before[cpu].address = address;
}

void events_on_call(unsigned cpu, uint64_t time, uint64_t ip)
{
    struct wire_sample sample = {.ip = ip, .time = time};

    for (unsigned i = 0; i < count; i++)
        if (events[i].kind == EVENT_CALL && has_function(&events[i], ip - slide))
            hit(&events[i], cpu, &sample);
}

void events_on_return(unsigned cpu, uint64_t time, uint64_t ip,
                      const struct follow_returned *returned)
{
    struct wire_sample sample = {
        .ip = ip, .time = time, .context = returned->context, .spent = returned->ran};

    for (unsigned i = 0; i < count; i++)
        if (events[i].kind == EVENT_RETURN && has_function(&events[i], returned->entry - slide))
            hit(&events[i], cpu, &sample);
}

bool events_stopped(void)
{
    bool once = stopped;

    stopped = false;
    return once;
}

static bool has_all_vectors(const struct event *event)
{
    return event->vector_first == 0 && event->vector_last == VECTORS - 1;
}

bool events_vectors(void)
{
    for (unsigned i = 0; i < count; i++)
        if (events[i].kind == EVENT_INTERRUPT && !has_all_vectors(&events[i]))
            return true;
    return false;
}

void events_on_interrupt(unsigned cpu, uint64_t time, uint64_t ip, int vector)
{
    struct wire_sample sample = {.ip = ip, .time = time};

    for (unsigned i = 0; i < count; i++)
        if (events[i].kind == EVENT_INTERRUPT &&
            (has_all_vectors(&events[i]) ||
             (vector >= (int)events[i].vector_first && vector <= (int)events[i].vector_last)))
            hit(&events[i], cpu, &sample);
}

void events_tell(uint64_t instructions)
{
    for (unsigned i = 0; i < count; i++)
        tell_count(i, events[i].kind == EVENT_INSTRUCTIONS ? instructions : events[i].hits);
}
