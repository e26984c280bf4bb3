/* SPDX-License-Identifier: BSD-2-Clause */
/* See race.h. */
#include "outside/plugin/race.h"

#include <stdlib.h>
#include <string.h>

#include "outside/plugin/clock.h"
#include "outside/plugin/context.h"
#include "outside/plugin/follow.h"
#include "outside/plugin/locks.h"
#include "outside/plugin/pause.h"
#include "outside/plugin/race_report.h"
#include "outside/plugin/race_words.h"
#include "outside/plugin/ranges.h"
#include "outside/plugin/store.h"

#define WORD       8u
#define LINE       64u
#define SEEN       256u /* lines per CPU whose use was noted, a power of two */
#define RECENTS    8u   /* a power of two */
#define TRIES      24u  /* accesses among which a CPU looks for a place to stop */
#define FOLLOWED   32u  /* accesses after a stop, or after another CPU was met */
#define PARTS_MOST 4u   /* accesses within which a value of several words is written or read */
#define VALUE_MOST 16u  /* its bytes */
#define MET_MOST   4u
#define SITES      (1u << 16)
#define RARER_MOST 6 /* stops at a place make the next there rarer, up to 2 to this power */
#define LONGEST    16u

/* Another CPU has accessed what a stopped one had. */
struct met {
    struct wire_race_side side;
    uint64_t first, end; /* bytes that it accessed meanwhile in a row, those included */
    enum wire_race_kind kind;
    uint64_t then;
    bool seen; /* the stopped CPU has read them since */
};

static struct cpu {
    _Alignas(64) uint32_t left; /* accesses until race_looks returns true */
    qemu_plugin_meminfo_t last_info;
    uint64_t last;       /* address of the last access */
    uint64_t seen[SEEN]; /* lines */
    uint32_t count;      /* of accesses that were kept since it looks for a place, or has met */
    struct race_access recent[RECENTS];
    uint64_t seed;
    uint32_t tries;  /* that are left */
    uint64_t fenced; /* 1 + the address that was stored before a fence; 0: none */
    uint32_t fenced_length;
    uint32_t followed;    /* accesses that are left, after a stop in which CPUs were met */
    uint32_t along;       /* ... after this CPU has met the one that is stopped, `whom` */
    bool stops;           /* the CPU has found where to stop */
    unsigned whom, which; /* which: index in its `met` */
    /* With the lock. */
    bool stopped;
    uint64_t turn, whose_turn; /* number of the stop; of `whom` */
    struct wire_race_side own;
    uint64_t physical;
    struct met met[MET_MOST];
    unsigned met_count;
} * cpus;

static unsigned cpu_count;
static uint64_t every;       /* 0: races are not looked for */
static uint64_t stopped;     /* a bit for each word, modulo 64, at which a CPU is stopped */
static struct ranges synced; /* variables that synchronise, and code that accesses such */
static uint64_t slide;
static uint8_t stops_at[SITES]; /* [hash of the instruction's address] */

bool race_watch(void)
{
    return every > 0;
}

const char *race_begin(qemu_plugin_id_t id, const struct request *request, unsigned count)
{
    every = request->race.every;
    if (!race_watch())
        return NULL;
    synced = ranges_of(request, request->race.sync);
    cpu_count = count;
    pause_begin(id, count);
    cpus = aligned_alloc(_Alignof(struct cpu), count * sizeof(*cpus));
    if (!cpus || !race_words_begin() || !race_report_begin())
        return "out of memory";
    memset(cpus, 0, count * sizeof(*cpus));
    for (unsigned cpu = 0; cpu < count; cpu++) {
        cpus[cpu].seed = (request->race.seed + cpu + 1) * 0x9e3779b97f4a7c15u | 1;
        cpus[cpu].left = 1 + cpu;
    }
    return NULL;
}

void race_slide(uint64_t by)
{
    slide += by;
}

bool race_is_sync(uint64_t address)
{
    return ranges_find(&synced, address - slide);
}

/* --- Accesses --- */

static unsigned length_of(const struct race_access *access)
{
    unsigned length = store_length(access->info);

    return length ? length : 1u << qemu_plugin_mem_size_shift(access->info);
}

static bool is_store(const struct race_access *access)
{
    return store_length(access->info) != 0;
}

static bool does_synchronise(uint64_t address, unsigned length)
{
    return race_words_do_synchronise(address, length) || race_is_sync(address);
}

static void keep(struct cpu *me, const struct race_access *access)
{
    me->recent[me->count++ % RECENTS] = *access;
}

/* The access that was kept `back` accesses before the last one. */
static const struct race_access *recent(const struct cpu *me, uint32_t back)
{
    return &me->recent[(me->count - 1 - back) % RECENTS];
}

/*
 * True if the last accesses that were kept are what the CPU did just before, too, and none is a
 * store: it waits for a change.
 */
static bool polls(const struct cpu *me)
{
    for (uint32_t period = 1; period <= RECENTS / 2; period++) {
        uint32_t same = 0;

        while (same < period && recent(me, same)->ip == recent(me, same + period)->ip &&
               recent(me, same)->address == recent(me, same + period)->address &&
               !is_store(recent(me, same)))
            same++;
        if (same == period)
            return true;
    }
    return false;
}

static uint64_t bits_of(uint64_t address, unsigned length)
{
    uint64_t bits = 0;

    for (uint64_t word = (address - LONGEST + 1) / WORD; word <= (address + length - 1) / WORD;
         word++)
        bits |= UINT64_C(1) << word % 64;
    return bits;
}

static bool is_near_stopped(uint64_t address)
{
    return __atomic_load_n(&stopped, __ATOMIC_RELAXED) >> address / WORD % 64 & 1;
}

static void look_later(struct cpu *me)
{
    me->tries = TRIES;
    me->count = 0;
    me->left = (uint32_t)(1 + pause_random(&me->seed) % (2 * every));
}

static uint8_t *stops_of(uint64_t ip)
{
    return &stops_at[ip * 0x9e3779b97f4a7c15u >> 48];
}

/* True if this is a good place to stop; if not, the CPU looks on. */
static bool is_worth_stop(unsigned cpu, const struct race_access *access)
{
    struct cpu *me = &cpus[cpu];
    unsigned length = length_of(access);
    uint8_t stops = __atomic_load_n(stops_of(access->ip), __ATOMIC_RELAXED);

    me->left = 1;
    keep(me, access);
    if (me->tries-- == 0)
        look_later(me);
    else if (me->count > RECENTS && race_words_are_shared(access->address / LINE) &&
             !does_synchronise(access->address, length)) {
        if (!polls(me)) {
            look_later(me);
            return pause_helps(cpu) &&
                   pause_random(&me->seed) >> (64 - RARER_MOST) >>
                           (RARER_MOST - (stops < RARER_MOST ? stops : RARER_MOST)) ==
                       0;
        }
        race_words_synchronise(access->address, length);
    }
    return false;
}

bool race_looks(unsigned cpu, const struct race_access *access)
{
    struct cpu *me = &cpus[cpu];
    uint64_t line = access->address / LINE;

    me->last = access->address;
    me->last_info = access->info;
    if (__builtin_expect(me->seen[line % SEEN] != line, 0)) {
        me->seen[line % SEEN] = line;
        race_words_use(cpu, line);
    }
    return __builtin_expect(--me->left == 0 || is_near_stopped(access->address), 0);
}

bool race_wants(unsigned cpu, const struct race_access *access)
{
    struct cpu *me = &cpus[cpu];

    if (me->fenced || me->along || me->followed)
        return true;
    me->stops = me->left == 0 && is_worth_stop(cpu, access);
    return me->stops || is_near_stopped(access->address);
}

/* --- Two CPUs meet --- */

static struct wire_race_side side_of(unsigned cpu, const struct race_access *access)
{
    struct wire_race_side side = {.cpu = cpu,
                                  .context = follow_context(cpu),
                                  .thread = follow_thread(cpu),
                                  .access = is_store(access) ? WIRE_WRITE : WIRE_READ,
                                  .length = length_of(access),
                                  .ip = access->ip,
                                  .time = clock_time(cpu),
                                  .address = access->address};

    side.valued = store_access_value(access->info, side.length, &side.value);
    return side;
}

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

/* What is accessed in the same way just beside it is part of what was met. */
static void extend(struct met *met, const struct race_access *access)
{
    uint64_t address = access->address, end = address + length_of(access);

    if (is_store(access) != (met->side.access == WIRE_WRITE))
        return;
    if (end == met->first && met->end - address <= VALUE_MOST)
        met->first = address;
    else if (address == met->end && end - met->first <= VALUE_MOST)
        met->end = end;
}

static void meet(unsigned cpu, struct cpu *of, const struct wire_race_side *now)
{
    struct cpu *me = &cpus[cpu];
    struct met *met = place_for(of, now);

    if (!met)
        return;
    *met = (struct met){
        .side = *now,
        .first = now->address,
        .end = now->address + now->length,
        .kind = now->access == of->own.access ? WIRE_RACE_WRITES : WIRE_RACE_READ,
    };
    me->along = RECENTS;
    me->count = 0;
    me->whom = (unsigned)(of - cpus);
    me->which = (unsigned)(met - of->met);
    me->whose_turn = of->turn;
}

/* Reports nothing yet: what comes of it shows when the stopped CPU continues. */
static void meet_all(unsigned cpu, const struct race_access *access)
{
    struct wire_race_side now = {.length = 0};
    uint64_t physical;

    for (unsigned other = 0; other < cpu_count; other++) {
        struct cpu *of = &cpus[other];

        if (other == cpu || !of->stopped || access->address >= of->own.address + of->own.length ||
            access->address + LONGEST <= of->own.address)
            continue;
        if (!now.length)
            now = side_of(cpu, access);
        if (!overlap(&now, &of->own) || (now.access | of->own.access) == WIRE_READ ||
            !changes(&of->own, &now) || does_synchronise(now.address, now.length))
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

    keep(me, access);
    if (!of->stopped || of->turn != me->whose_turn) {
        me->along = 0;
        return;
    }
    if (me->along > RECENTS - PARTS_MOST)
        extend(met, access);
    if (--me->along == 0 && met->side.access == WIRE_READ && polls(me))
        race_words_synchronise(met->side.address, met->side.length);
}

/* --- What comes of it --- */

static void finish(struct cpu *me)
{
    me->followed = 0;
    for (unsigned i = 0; i < me->met_count; i++)
        if (!does_synchronise(me->own.address, me->own.length))
            race_report(me->met[i].kind, &me->own, &me->met[i].side, me->met[i].then);
    me->met_count = 0;
}

/* The CPU has continued after a stop in which it has met others: its next accesses. */
static void judge(struct cpu *me, const struct race_access *access, struct met *met)
{
    const struct wire_race_side *own = &me->own;
    uint64_t address = access->address, end = address + length_of(access);
    bool again = address < own->address + own->length && own->address < end;
    bool store = is_store(access);

    if (met->kind < WIRE_RACE_WRITES)
        return;
    if (again && !store)
        met->seen = true;
    if (again && store && own->access == WIRE_READ && !met->seen)
        met->kind = WIRE_RACE_LOST;
    else if (!again && store == (own->access == WIRE_WRITE) && address < met->end &&
             met->first < end && me->followed > FOLLOWED - PARTS_MOST)
        met->kind = WIRE_RACE_TORN;
    if (met->kind < WIRE_RACE_WRITES)
        met->then = access->ip;
}

static unsigned interrupts_in(uint32_t context)
{
    unsigned count = 0;

    for (; context != CONTEXT_NONE; context = context_at(context)->outer)
        count += context_at(context)->by == WIRE_BY_INTERRUPT;
    return count;
}

/* If something else runs by now, no more is to be learnt. */
static void follow_on(unsigned cpu, const struct race_access *access)
{
    struct cpu *me = &cpus[cpu];

    if (follow_thread(cpu) != me->own.thread ||
        interrupts_in(follow_context(cpu)) != interrupts_in(me->own.context)) {
        finish(me);
        return;
    }
    for (unsigned i = 0; i < me->met_count; i++)
        judge(me, access, &me->met[i]);
    if (--me->followed == 0)
        finish(me);
}

/* The accesses before and after a fence: a store, and then a load. */
static void pair(struct cpu *me, const struct race_access *access)
{
    if (!is_store(access)) {
        race_words_synchronise(me->fenced - 1, me->fenced_length);
        race_words_synchronise(access->address, length_of(access));
    }
    me->fenced = 0;
}

/* --- Stops --- */

static void find_stopped(void)
{
    uint64_t bits = 0;

    for (unsigned cpu = 0; cpu < cpu_count; cpu++)
        if (cpus[cpu].stopped)
            bits |= bits_of(cpus[cpu].own.address, cpus[cpu].own.length);
    __atomic_store_n(&stopped, bits, __ATOMIC_RELAXED);
}

static bool stop(unsigned cpu, const struct race_access *access)
{
    struct cpu *me = &cpus[cpu];
    uint8_t *stops = stops_of(access->ip);

    if (!store_place(access->info, access->address, &me->physical)) /* a device */
        return false;
    race_report_stop(*stops == 0);
    if (*stops < UINT8_MAX)
        __atomic_store_n(stops, *stops + 1, __ATOMIC_RELAXED);
    me->own = side_of(cpu, access);
    me->stopped = true;
    me->turn++;
    find_stopped();
    return true;
}

bool race_takes(unsigned cpu, const struct race_access *access)
{
    struct cpu *me = &cpus[cpu];

    if (is_near_stopped(access->address))
        meet_all(cpu, access);
    if (me->fenced)
        pair(me, access);
    if (me->along)
        go_along(me, access);
    if (me->followed)
        follow_on(cpu, access);
    if (me->along || me->followed)
        me->left = 1;
    else if (me->left == 0)
        look_later(me);
    if (!me->stops)
        return false;
    me->stops = false;
    return !me->along && stop(cpu, access);
}

void race_continues(unsigned cpu, bool ran)
{
    struct cpu *me = &cpus[cpu];

    race_report_continue(ran);
    me->stopped = false;
    find_stopped();
    if (me->met_count == 0)
        return;
    me->followed = FOLLOWED;
    me->left = 1;
}

void race_atomic(uint64_t address, qemu_plugin_meminfo_t info)
{
    const struct race_access access = {.address = address, .info = info};

    race_words_synchronise(address, length_of(&access));
}

void race_fence(unsigned cpu)
{
    struct cpu *me = &cpus[cpu];
    const struct race_access last = {.address = me->last, .info = me->last_info};

    if (!me->last || !is_store(&last))
        return;
    me->fenced = me->last + 1;
    me->fenced_length = length_of(&last);
    me->left = 1;
}

void race_end(void)
{
    if (!race_watch())
        return;
    locks_take();
    for (unsigned cpu = 0; cpu < cpu_count; cpu++)
        finish(&cpus[cpu]);
    race_report_tell();
    locks_give();
}
