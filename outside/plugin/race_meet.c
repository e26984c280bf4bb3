/* SPDX-License-Identifier: BSD-2-Clause */
/* See race.h: who meets a CPU that is stopped. */
#include "outside/plugin/race.h"

#include <stdlib.h>
#include <string.h>

#include "outside/plugin/clock.h"
#include "outside/plugin/context.h"
#include "outside/plugin/follow.h"
#include "outside/plugin/store.h"

#define WORD       8u
#define FOLLOWED   32u /* accesses after a stop, or after another CPU was met */
#define PARTS_MOST 4u  /* accesses within which a value of several words is written or read */
#define MET_MOST   4u
#define LONGEST    16u
#define VALUE_MOST 16u /* bytes of a value of several words */

/*
 * Another CPU, or a handler, has accessed what a CPU had when it stopped: what that comes to, by
 * what both access next.
 */
struct met {
    struct wire_race_side side;
    uint64_t first, end; /* bytes that it accessed meanwhile in a row, those included */
    enum wire_race_kind kind;
    uint64_t then;
    bool seen; /* the stopped CPU has read them since */
};

static struct cpu {
    _Alignas(64) uint32_t followed; /* accesses that are left, after a stop in which it was met */
    uint32_t along;                 /* ... after it has met the one that is stopped, `whom` */
    unsigned whom, which;           /* which: index in its `met` */
    struct race_recent recent;      /* since it has met */
    enum { CLOSED, TO_OTHERS, TO_HANDLER } open; /* who may meet it */
    uint64_t turn, whose_turn;                   /* number of the stop; of `whom` */
    struct wire_race_side own;
    uint64_t physical;
    struct met met[MET_MOST];
    unsigned met_count;
    bool left_valued; /* the handler has left this value: */
    uint64_t left;
} * cpus;

static unsigned cpu_count;
static uint64_t stopped; /* a bit for each word, modulo 64, at which a CPU is stopped */

bool race_meet_begin(unsigned count)
{
    cpu_count = count;
    cpus = aligned_alloc(_Alignof(struct cpu), FOLLOW_CPUS * sizeof(*cpus));
    if (cpus)
        memset(cpus, 0, FOLLOW_CPUS * sizeof(*cpus));
    return cpus;
}

bool race_meet_is_watched(unsigned cpu)
{
    return cpus[cpu].followed || cpus[cpu].along;
}

/* --- Stops --- */

static uint64_t bits_of(uint64_t address, unsigned length)
{
    uint64_t bits = 0;

    for (uint64_t word = (address - LONGEST + 1) / WORD; word <= (address + length - 1) / WORD;
         word++)
        bits |= UINT64_C(1) << word % 64;
    return bits;
}

bool race_meet_is_near(uint64_t address)
{
    return __atomic_load_n(&stopped, __ATOMIC_RELAXED) >> address / WORD % 64 & 1;
}

static void find_stopped(void)
{
    uint64_t bits = 0;

    for (unsigned cpu = 0; cpu < cpu_count; cpu++)
        if (cpus[cpu].open)
            bits |= bits_of(cpus[cpu].own.address, cpus[cpu].own.length);
    __atomic_store_n(&stopped, bits, __ATOMIC_RELAXED);
}

static struct wire_race_side side_of(unsigned cpu, const struct race_access *access)
{
    struct wire_race_side side = {.cpu = cpu,
                                  .context = follow_context(cpu),
                                  .thread = follow_thread(cpu),
                                  .access = race_access_stores(access) ? WIRE_WRITE : WIRE_READ,
                                  .length = race_access_length(access),
                                  .ip = access->ip,
                                  .time = clock_time(cpu),
                                  .address = access->address};

    side.valued = store_access_value(access->info, side.length, &side.value);
    return side;
}

bool race_meet_stop(unsigned cpu, const struct race_access *access)
{
    struct cpu *me = &cpus[cpu];

    if (me->along || me->open || !store_place(access->info, access->address, &me->physical))
        return false;
    me->own = side_of(cpu, access);
    me->open = TO_OTHERS;
    me->turn++;
    find_stopped();
    return true;
}

void race_meet_continue(unsigned cpu)
{
    struct cpu *me = &cpus[cpu];

    me->open = CLOSED;
    find_stopped();
    if (me->met_count > 0)
        me->followed = FOLLOWED;
}

/* --- What was met --- */

/* `own`: the access of the CPU that is stopped. */
static struct met met_begin(const struct wire_race_side *own, const struct wire_race_side *side)
{
    return (struct met){
        .side = *side,
        .first = side->address,
        .end = side->address + side->length,
        .kind = side->access == own->access ? WIRE_RACE_WRITES : WIRE_RACE_READ,
    };
}

/* What is accessed in the same way just beside it is part of what was met. */
static void met_extend(struct met *met, const struct race_access *access)
{
    uint64_t address = access->address, end = address + race_access_length(access);

    if (race_access_stores(access) != (met->side.access == WIRE_WRITE))
        return;
    if (end == met->first && met->end - address <= VALUE_MOST)
        met->first = address;
    else if (address == met->end && end - met->first <= VALUE_MOST)
        met->end = end;
}

/* An access of the CPU that was stopped, which continues; `soon`: one of the first. */
static void met_judge(struct met *met, const struct wire_race_side *own,
                      const struct race_access *access, bool soon)
{
    uint64_t address = access->address, end = address + race_access_length(access);
    bool again = address < own->address + own->length && own->address < end;
    bool store = race_access_stores(access);

    if (met->kind < WIRE_RACE_WRITES)
        return;
    if (again && !store)
        met->seen = true;
    if (again && store && own->access == WIRE_READ && !met->seen)
        met->kind = WIRE_RACE_LOST;
    else if (!again && store == (own->access == WIRE_WRITE) && address < met->end &&
             met->first < end && soon)
        met->kind = WIRE_RACE_TORN;
    if (met->kind < WIRE_RACE_WRITES)
        met->then = access->ip;
}

/* --- Two CPUs meet --- */

static bool overlap(const struct wire_race_side *a, const struct wire_race_side *b)
{
    return a->address < b->address + b->length && b->address < a->address + a->length;
}

/* A write of what was there before changes nothing. */
static bool changes(const struct wire_race_side *own, const struct wire_race_side *other)
{
    return other->access == WIRE_READ || !own->valued || !other->valued ||
           own->address != other->address || own->length != other->length ||
           own->value != other->value;
}

/* Returns the place for what `other` tells; NULL: there is none. A write counts before a read. */
static struct met *place_for(struct cpu *of, const struct wire_race_side *other)
{
    for (unsigned i = 0; i < of->met_count; i++)
        if (of->met[i].side.ip == other->ip && of->met[i].side.cpu == other->cpu)
            return of->met[i].side.access == WIRE_READ && other->access == WIRE_WRITE ? &of->met[i]
                                                                                      : NULL;
    return of->met_count < MET_MOST ? &of->met[of->met_count++] : NULL;
}

static void meet(unsigned cpu, struct cpu *of, const struct wire_race_side *now)
{
    struct cpu *me = &cpus[cpu];
    struct met *met = place_for(of, now);

    if (!met)
        return;
    *met = met_begin(&of->own, now);
    me->along = RACE_RECENTS;
    me->recent.count = 0;
    me->whom = (unsigned)(of - cpus);
    me->which = (unsigned)(met - of->met);
    me->whose_turn = of->turn;
}

/* What the handler writes last may be what was there before. */
static void leave(struct cpu *me, const struct wire_race_side *now)
{
    if (now->access != WIRE_WRITE || !overlap(now, &me->own))
        return;
    me->left_valued =
        now->valued && now->address == me->own.address && now->length == me->own.length;
    me->left = now->value;
}

/* Reports nothing yet: what comes of it shows when the stopped CPU continues. */
void race_meet_near(unsigned cpu, const struct race_access *access)
{
    struct wire_race_side now = {.length = 0};
    uint64_t physical;

    for (unsigned other = 0; other < cpu_count; other++) {
        struct cpu *of = &cpus[other];

        if (of->open != (other == cpu ? TO_HANDLER : TO_OTHERS) ||
            access->address >= of->own.address + of->own.length ||
            access->address + LONGEST <= of->own.address)
            continue;
        if (!now.length)
            now = side_of(cpu, access);
        if (other == cpu)
            leave(of, &now);
        if (!overlap(&now, &of->own) || (now.access | of->own.access) == WIRE_READ ||
            !changes(&of->own, &now) || race_words_do_synchronise(now.address, now.length))
            continue;
        if (store_place(access->info, access->address, &physical) &&
            physical - of->physical == access->address - of->own.address)
            meet(cpu, of, &now);
    }
}

/*
 * After it has met a stopped CPU: what it accesses beside that is part of what it saw. If it does
 * the same again, it waits for that.
 */
static void go_along(struct cpu *me, const struct race_access *access)
{
    struct cpu *of = &cpus[me->whom];
    struct met *met = &of->met[me->which];

    race_recent_keep(&me->recent, access);
    if (!of->open || of->turn != me->whose_turn) {
        me->along = 0;
        return;
    }
    if (me->along > RACE_RECENTS - PARTS_MOST)
        met_extend(met, access);
    if (--me->along == 0 && met->side.access == WIRE_READ && race_recent_polls(&me->recent))
        race_words_synchronise(met->side.address, met->side.length);
}

/* --- What comes of it --- */

static void finish(struct cpu *me)
{
    me->followed = 0;
    for (unsigned i = 0; i < me->met_count; i++) {
        const struct met *met = &me->met[i];

        if (!race_words_do_synchronise(me->own.address, me->own.length) &&
            (met->side.cpu != me->own.cpu || met->kind < WIRE_RACE_WRITES))
            race_report(met->kind, &me->own, &met->side, met->then);
    }
    me->met_count = 0;
}

bool race_meet_is_at(unsigned cpu)
{
    return follow_thread(cpu) == cpus[cpu].own.thread &&
           context_interrupts(follow_context(cpu)) == context_interrupts(cpus[cpu].own.context);
}

/* If something else runs by now, no more is to be learnt. */
static void follow_on(unsigned cpu, const struct race_access *access)
{
    struct cpu *me = &cpus[cpu];

    if (!race_meet_is_at(cpu)) {
        finish(me);
        return;
    }
    for (unsigned i = 0; i < me->met_count; i++)
        met_judge(&me->met[i], &me->own, access, me->followed > FOLLOWED - PARTS_MOST);
    if (--me->followed == 0)
        finish(me);
}

void race_meet_watched(unsigned cpu, const struct race_access *access)
{
    if (cpus[cpu].along)
        go_along(&cpus[cpu], access);
    if (cpus[cpu].followed)
        follow_on(cpu, access);
}

/* --- Interrupts --- */

bool race_meet_is_own(unsigned cpu, const struct race_access *access)
{
    const struct wire_race_side *own = &cpus[cpu].own;

    return access->address < own->address + own->length &&
           own->address < access->address + race_access_length(access);
}

bool race_meet_is_within(unsigned cpu)
{
    return follow_thread(cpu) == cpus[cpu].own.thread &&
           context_interrupts(follow_context(cpu)) > context_interrupts(cpus[cpu].own.context);
}

void race_meet_interrupt(unsigned cpu)
{
    cpus[cpu].open = TO_HANDLER;
    cpus[cpu].left_valued = false;
    find_stopped();
}

void race_meet_return(unsigned cpu)
{
    struct cpu *me = &cpus[cpu];
    bool is_same = me->left_valued && me->own.valued && me->left == me->own.value;

    me->open = CLOSED;
    me->along = 0;
    find_stopped();
    if (is_same || !race_meet_is_at(cpu))
        me->met_count = 0;
    if (me->met_count > 0)
        me->followed = FOLLOWED;
}

void race_meet_end(void)
{
    for (unsigned cpu = 0; cpu < cpu_count; cpu++)
        finish(&cpus[cpu]);
}
