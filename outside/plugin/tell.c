/* SPDX-License-Identifier: BSD-2-Clause */
/* See tell.h. */
#include "outside/plugin/tell.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "outside/plugin/context.h"
#include "outside/plugin/follow.h"
#include "outside/plugin/registers.h"

#define BUFFER     (1u << 18)
#define CHAIN_LESS 1024 /* room for the contexts of a chain */

static int out;
static char *buffer;
static size_t used;
static bool broken; /* the command has exited */
static bool registers;
static uint64_t lost, chains_ended;

/*
 * stdio would drop its buffer if a signal came while the pipe is full, as ^C and timeout(1) send
 * them at the end: QEMU handles them in this thread, without SA_RESTART.
 */
static bool flush(void)
{
    size_t written = 0;

    while (written < used && !broken) {
        ssize_t count = write(out, buffer + written, used - written);

        if (count > 0)
            written += (size_t)count;
        else
            broken = count == 0 || errno != EINTR;
    }
    used = 0;
    return !broken;
}

static bool put(void *record, unsigned size, enum wire_kind kind, unsigned cpu)
{
    struct wire_head *head = record;

    *head = (struct wire_head){.size = (uint16_t)size, .kind = (uint8_t)kind, .cpu = cpu};
    if (used + size > BUFFER && !flush())
        return false;
    memcpy(buffer + used, record, size);
    used += size;
    return true;
}

bool tell_begin(int fd, unsigned cpus, bool with_registers)
{
    struct wire_begin begin = {.version = WIRE_VERSION, .cpus = cpus};

    out = fd;
    registers = with_registers;
    buffer = malloc(BUFFER);
    return buffer && put(&begin, sizeof(begin), WIRE_BEGIN, 0) && flush();
}

/* The command knows no WIRE_BY_ALLOCATOR. */
static uint32_t real_context(uint32_t number)
{
    while (context_at(number)->by == WIRE_BY_ALLOCATOR)
        number = context_at(number)->outer;
    return number;
}

/*
 * Sends the context and its outer ones, unless sent before, outermost first: the command needs each
 * context's outer one before it.
 */
static void tell_context(uint32_t number)
{
    static uint32_t *chain;
    static size_t room;
    size_t depth = 0;

    for (; number != CONTEXT_NONE && !context_at(number)->told;
         number = real_context(context_at(number)->outer)) {
        if (depth == room) {
            uint32_t *more = realloc(chain, 2 * (room + CHAIN_LESS) * sizeof(*chain));

            if (!more)
                break;
            chain = more;
            room = 2 * (room + CHAIN_LESS);
        }
        chain[depth++] = number;
    }
    while (depth > 0) {
        struct context *context = context_at(chain[--depth]);
        struct wire_context record = {.context = chain[depth],
                                      .outer = real_context(context->outer),
                                      .site = context->site,
                                      .by = context->by,
                                      .site_end = context->site_end};

        context->told = put(&record, sizeof(record), WIRE_CONTEXT, 0);
    }
}

/*
 * Sends the thread, unless sent before. Its chains end in its outermost function: at the outermost
 * site, or at `ip` if there is none.
 */
static void tell_thread(uint32_t number, uint32_t context, uint64_t ip)
{
    struct follow_thread *thread = number ? follow_thread_info(number) : NULL;
    struct wire_thread record;

    if (!thread || thread->told || context_at(context)->unknown)
        return;
    for (; context != CONTEXT_NONE; context = context_at(context)->outer)
        ip = context_at(context)->site;
    record = (struct wire_thread){.thread = number, .space = thread->space, .outermost = ip};
    thread->told = put(&record, sizeof(record), WIRE_THREAD, 0);
}

/* Sends a record's context and thread, before the record. */
static void tell_owner(uint32_t context, uint32_t thread, uint64_t ip)
{
    tell_context(context);
    tell_thread(thread, context, ip);
}

void tell_sample(struct wire_sample *sample, unsigned cpu)
{
    struct wire_registers record;

    tell_owner(sample->context, sample->thread, sample->ip);
    chains_ended += context_at(sample->context)->unknown;
    if (registers && registers_read(cpu, sample->ip, record.registers))
        put(&record, sizeof(record), WIRE_REGISTERS, cpu);
    lost += !put(sample, sizeof(*sample), WIRE_SAMPLE, cpu);
}

void tell_mapping(uint64_t virtual, uint64_t physical, uint64_t seen)
{
    struct wire_mapping record = {.virtual = virtual, .physical = physical, .seen = seen};

    put(&record, sizeof(record), WIRE_MAPPING, 0);
}

void tell_held(struct wire_held *held)
{
    lost += !put(held, sizeof(*held), WIRE_HELD, 0);
}

void tell_word(struct wire_word *write, unsigned cpu)
{
    tell_owner(write->context, write->thread, write->ip);
    lost += !put(write, sizeof(*write), WIRE_WORD, cpu);
}

void tell_where(struct wire_where *where, unsigned cpu)
{
    tell_owner(where->context, where->thread, where->ip);
    put(where, sizeof(*where), WIRE_WHERE, cpu);
}

void tell_last(struct wire_last *last, unsigned cpu)
{
    tell_owner(last->context, last->thread, last->entry);
    put(last, sizeof(*last), WIRE_LAST, cpu);
}

void tell_cost(uint32_t context, uint64_t calls, uint64_t instructions)
{
    struct wire_cost record = {.context = context, .calls = calls, .instructions = instructions};

    tell_context(context);
    put(&record, sizeof(record), WIRE_COST, 0);
}

void tell_heap(struct wire_heap *report, unsigned cpu)
{
    tell_context(report->allocated.context);
    tell_context(report->freed.context);
    tell_owner(report->context, report->thread, report->ip);
    lost += !put(report, sizeof(*report), WIRE_HEAP, cpu);
    flush();
}

void tell_live(uint32_t context, uint64_t objects, uint64_t bytes, uint64_t peak)
{
    struct wire_live record = {
        .context = context, .objects = objects, .bytes = bytes, .peak = peak};

    tell_context(context);
    put(&record, sizeof(record), WIRE_LIVE, 0);
}

void tell_objects(struct wire_objects *totals)
{
    put(totals, sizeof(*totals), WIRE_OBJECTS, 0);
}

/* Sends its context; the place then names the one that the command knows. */
static void tell_place(struct wire_place *place)
{
    place->context = real_context(place->context);
    tell_context(place->context);
}

void tell_lock(struct wire_lock *lock)
{
    struct wire_lock_moment *moments[] = {&lock->open, &lock->handler, &lock->halted, &lock->left};

    for (size_t i = 0; i < sizeof(moments) / sizeof(*moments); i++) {
        tell_place(&moments[i]->taken);
        tell_place(&moments[i]->at);
    }
    tell_place(&lock->longest_wait.place);
    tell_place(&lock->longest_hold.place);
    tell_place(&lock->first);
    tell_place(&lock->by);
    put(lock, sizeof(*lock), WIRE_LOCK, 0);
}

void tell_lock_order(struct wire_lock_order *order)
{
    tell_place(&order->outer);
    tell_place(&order->inner);
    put(order, sizeof(*order), WIRE_LOCK_ORDER, 0);
}

void tell_lock_wait(struct wire_lock_wait *wait, unsigned cpu)
{
    tell_place(&wait->place);
    put(wait, sizeof(*wait), WIRE_LOCK_WAIT, cpu);
}

void tell_masked(struct wire_masked *masked, unsigned cpu)
{
    tell_place(&masked->off);
    tell_place(&masked->on);
    put(masked, sizeof(*masked), WIRE_MASKED, cpu);
}

void tell_locks(struct wire_locks *totals)
{
    put(totals, sizeof(*totals), WIRE_LOCKS, 0);
}

void tell_race(struct wire_race *race)
{
    for (unsigned i = 0; i < 2; i++)
        tell_owner(race->sides[i].context, race->sides[i].thread, race->sides[i].ip);
    lost += !put(race, sizeof(*race), WIRE_RACE, race->sides[0].cpu);
}

void tell_stops(struct wire_stops *stops)
{
    put(stops, sizeof(*stops), WIRE_STOPS, 0);
}

void tell_slice(struct wire_slice *slice, uint32_t context, unsigned cpu)
{
    tell_thread(slice->thread, context, slice->at);
    lost += !put(slice, sizeof(*slice), WIRE_SLICE, cpu);
}

void tell_ran(struct wire_run *ran, uint32_t context, uint64_t ip, unsigned cpu)
{
    tell_thread(ran->thread, context, ip);
    lost += !put(ran, sizeof(*ran), WIRE_RUN, cpu);
}

void tell_traced(struct wire_traced *totals)
{
    put(totals, sizeof(*totals), WIRE_TRACED, 0);
}

void tell_lock_slice(struct wire_lock_slice *slice)
{
    tell_place(&slice->place);
    tell_thread(slice->thread, slice->place.context, slice->place.ip);
    lost += !put(slice, sizeof(*slice), WIRE_LOCK_SLICE, slice->place.cpu);
}

void tell_wake(struct wire_wake *wake, unsigned cpu)
{
    wake->context = real_context(wake->context);
    tell_owner(wake->context, wake->thread, wake->function);
    lost += !put(wake, sizeof(*wake), WIRE_WAKE, cpu);
}

void tell_woken(struct wire_woken *woken, unsigned cpu)
{
    lost += !put(woken, sizeof(*woken), WIRE_WOKEN, cpu);
}

void tell_number(enum wire_kind kind, unsigned cpu, uint64_t number)
{
    struct wire_number record = {.number = number};

    put(&record, sizeof(record), kind, cpu);
}

void tell_block(uint64_t start, uint64_t end, uint64_t count)
{
    struct wire_block record = {.start = start, .end = end, .count = count};

    put(&record, sizeof(record), WIRE_BLOCK, 0);
}

void tell_count(unsigned event, uint64_t hits)
{
    struct wire_count record = {.event = event, .hits = hits};

    put(&record, sizeof(record), WIRE_COUNT, 0);
}

void tell_strange(uint64_t different, uint64_t blocks)
{
    struct wire_strange record = {.different = different, .blocks = blocks};

    put(&record, sizeof(record), WIRE_STRANGE, 0);
    flush();
}

void tell_unknown(uint64_t address)
{
    tell_number(WIRE_UNKNOWN, 0, address);
    flush();
}

void tell_one_thread(unsigned cpu)
{
    tell_number(WIRE_ONE_THREAD, cpu, cpu);
    flush();
}

void tell_end(struct wire_end *end)
{
    end->contexts_lost = context_lost();
    end->samples_lost = lost;
    end->chains_ended = chains_ended;
    put(end, sizeof(*end), WIRE_END, 0);
    flush();
}
