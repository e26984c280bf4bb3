/* SPDX-License-Identifier: BSD-2-Clause */
/* See events.h. */
#include "outside/plugin/events.h"

#include <assert.h>

#include "outside/plugin/follow.h"
#include "outside/plugin/named.h"
#include "outside/plugin/tell.h"

static struct event {
    struct request_event asked;
    uint64_t hits;
    uint64_t left;        /* hits until the next sample */
    uint64_t first, last; /* of the memory, moved by the slide unless it is fixed */
    const uint64_t *functions;
} events[EVENTS_MOST];

#define ACCESS_MOST 64 /* bytes of the longest access: a vector register */

static unsigned count;
static bool stopped;
static uint64_t due[FOLLOW_CPUS][EVENTS_MOST]; /* instructions already represented by samples */

static struct extent {
    uint64_t first, last;
} around = {UINT64_MAX, 0}; /* all memory events */

uint64_t events_lowest = UINT64_MAX, events_span;
static uint64_t slide;

/* Each CPU's last access, if it was a read: maybe the first half of a read-modify-write. */
static struct {
    uint64_t ip, address;
} read_before[FOLLOW_CPUS];

static void watch_range(const struct event *event)
{
    if (event->first < around.first)
        around.first = event->first;
    if (event->last > around.last)
        around.last = event->last;
    events_lowest = around.first < ACCESS_MOST ? 0 : around.first - (ACCESS_MOST - 1);
    events_span = around.last - events_lowest;
}

/* has_function searches by halves. */
static void assert_sorted(const struct request_list *list, const struct request *request)
{
    const uint64_t *address = &request->addresses[list->first];

    assert(list->first + list->count <= request->address_count);
    for (uint32_t i = 1; i < list->count; i++)
        assert(address[i - 1] < address[i]);
}

void events_begin(const struct request *request)
{
    assert(request->event_count <= EVENTS_MOST);
    for (; count < request->event_count; count++) {
        struct event *event = &events[count];

        event->asked = request->events[count];
        assert(event->asked.kind <= EVENT_INTERRUPTS && event->asked.vector_first <= VECTOR_MOST);
        event->left = event->asked.period;
        event->functions = &request->addresses[event->asked.functions.first];
        assert_sorted(&event->asked.functions, request);
        if (event->asked.kind != EVENT_MEMORY)
            continue;
        assert(event->asked.length > 0);
        event->first = event->asked.address;
        event->last = event->first + event->asked.length - 1;
        watch_range(event);
    }
}

void events_slide(uint64_t by)
{
    slide += by;
    around = (struct extent){UINT64_MAX, 0};
    for (struct event *event = events; event < events + count; event++) {
        if (event->asked.kind != EVENT_MEMORY)
            continue;
        event->first += event->asked.fixed ? 0 : by;
        event->last += event->asked.fixed ? 0 : by;
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
    return ranges_have(event->functions, event->asked.functions.count, address);
}

bool events_call(uint64_t address)
{
    for (unsigned i = 0; i < count; i++)
        if (events[i].asked.kind == EVENT_CALLS && has_function(&events[i], address))
            return true;
    return false;
}

bool events_returns(void)
{
    for (unsigned i = 0; i < count; i++)
        if (events[i].asked.kind == EVENT_RETURNS)
            return true;
    return false;
}

bool events_instructions(void)
{
    for (unsigned i = 0; i < count; i++)
        if (events[i].asked.kind == EVENT_INSTRUCTIONS && events[i].asked.period > 0)
            return true;
    return false;
}

static void sample_of(const struct event *event, unsigned cpu, struct wire_sample *sample)
{
    if (!window_takes_sample())
        return;
    sample->event = (uint32_t)(event - events);
    sample->thread = follow_thread(cpu);
    if (event->asked.kind != EVENT_RETURNS) /* a return has already left its context */
        sample->context = follow_context(cpu);
    sample->weight = event->asked.period;
    tell_sample(sample, cpu);
}

static void hit(struct event *event, unsigned cpu, struct wire_sample *sample)
{
    if (!window_open())
        return;
    event->hits++;
    stopped |= event->asked.stops;
    if (event->asked.period == 0 || --event->left > 0)
        return;
    event->left = event->asked.period;
    sample_of(event, cpu, sample);
}

/* Periods count from the CPU's first instruction, so other CPUs do not change its samples. */
uint64_t events_on_instructions(unsigned cpu, uint64_t time, uint64_t ip)
{
    uint64_t next = UINT64_MAX;

    for (unsigned i = 0; i < count; i++) {
        struct event *event = &events[i];

        if (event->asked.kind != EVENT_INSTRUCTIONS || event->asked.period == 0)
            continue;
        while (due[cpu][i] + event->asked.period <= time) {
            struct wire_sample sample = {.ip = ip, .time = time};

            due[cpu][i] += event->asked.period;
            if (window_open())
                sample_of(event, cpu, &sample);
        }
        if (due[cpu][i] + event->asked.period < next)
            next = due[cpu][i] + event->asked.period;
    }
    return next;
}

/*
 * QEMU reports a read-modify-write as a read and a write of the same bytes by the same instruction,
 * or as both at once. It is one hit, as with a debug register.
 */
void events_on_access(unsigned cpu, const struct wire_sample *hits)
{
    uint64_t ip = hits->ip, address = hits->address, last = address + hits->length - 1;
    unsigned access = hits->access;
    struct wire_sample sample = *hits;
    bool second;

    if (!window_open() || address > around.last || last < around.first)
        return;
    second =
        access & WIRE_WRITE && read_before[cpu].ip == ip && read_before[cpu].address == address;
    for (unsigned i = 0; i < count; i++) {
        struct event *event = &events[i];

        if (event->asked.kind != EVENT_MEMORY || address > event->last || last < event->first ||
            !(event->asked.access & access) || (second && event->asked.access & WIRE_READ))
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
        if (events[i].asked.kind == EVENT_CALLS && has_function(&events[i], ip - slide))
            hit(&events[i], cpu, &sample);
}

void events_on_return(unsigned cpu, uint64_t time, uint64_t ip,
                      const struct follow_returned *returned)
{
    struct wire_sample sample = {
        .ip = ip, .time = time, .context = returned->context, .spent = returned->ran};

    for (unsigned i = 0; i < count; i++)
        if (events[i].asked.kind == EVENT_RETURNS &&
            has_function(&events[i], returned->entry - slide))
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
    return event->asked.vector_first == 0 && event->asked.vector_last == VECTOR_MOST;
}

bool events_vectors(void)
{
    for (unsigned i = 0; i < count; i++)
        if (events[i].asked.kind == EVENT_INTERRUPTS && !has_all_vectors(&events[i]))
            return true;
    return false;
}

void events_on_interrupt(unsigned cpu, uint64_t time, uint64_t ip, int vector)
{
    struct wire_sample sample = {.ip = ip, .time = time};

    for (unsigned i = 0; i < count; i++)
        if (events[i].asked.kind == EVENT_INTERRUPTS &&
            (has_all_vectors(&events[i]) || (vector >= (int)events[i].asked.vector_first &&
                                             vector <= (int)events[i].asked.vector_last)))
            hit(&events[i], cpu, &sample);
}

void events_tell(uint64_t instructions)
{
    for (unsigned i = 0; i < count; i++)
        tell_count(i, events[i].asked.kind == EVENT_INSTRUCTIONS ? instructions : events[i].hits);
}

/* --- The window --- */

static struct {
    bool has_from, has_until, closed, ended;
    uint64_t from, until;
    uint64_t samples_most, samples, left_out; /* samples_most 0: unlimited */
    uint64_t opened, before; /* instructions before the last opening; those in earlier windows */
} window;

void window_begin(const struct request *request)
{
    window.from = request->from;
    window.until = request->until;
    window.has_from = window.closed = request->from != 0;
    window.has_until = request->until != 0;
    window.samples_most = request->samples_most;
}

void window_slide(uint64_t by)
{
    window.from += by;
    window.until += by;
}

bool window_border(uint64_t ip)
{
    return (window.has_from && ip == window.from) || (window.has_until && ip == window.until);
}

/* Calls are counted without the lock. */
bool window_open(void)
{
    return !__atomic_load_n(&window.closed, __ATOMIC_RELAXED);
}

static void close_at(uint64_t instructions)
{
    if (window.closed)
        return;
    __atomic_store_n(&window.closed, true, __ATOMIC_RELAXED);
    window.before += instructions - window.opened;
}

void window_cross(uint64_t ip, uint64_t instructions)
{
    if (window.has_until && ip == window.until) {
        close_at(instructions);
    } else if (window.closed && !window.ended) {
        __atomic_store_n(&window.closed, false, __ATOMIC_RELAXED);
        window.opened = instructions;
    }
}

bool window_takes_sample(void)
{
    if (window.samples_most && window.samples == window.samples_most) {
        window.left_out++;
        return false;
    }
    window.samples++;
    return true;
}

void window_end(uint64_t instructions)
{
    close_at(instructions);
    window.ended = true;
}

uint64_t window_instructions(uint64_t instructions)
{
    return window.before + (window.closed ? 0 : instructions - window.opened);
}

uint64_t window_left_out(void)
{
    return window.left_out;
}
