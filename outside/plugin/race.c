/* SPDX-License-Identifier: BSD-2-Clause */
/* See race.h. */
#include "outside/plugin/race.h"

#include <stdlib.h>
#include <string.h>

#include "outside/plugin/code.h"
#include "outside/plugin/context.h"
#include "outside/plugin/facts.h"
#include "outside/plugin/race_words.h"
#include "outside/plugin/run.h"
#include "outside/plugin/shake.h"

#define LINE       64u
#define SEEN       256u                /* lines per CPU whose use was noted, a power of two */
#define HANDLER    (UINT64_C(1) << 63) /* no line's number */
#define TRIES      24u                 /* accesses among which a CPU looks for a place to stop */
#define SITES      (1u << 16)
#define TICK       5000000 /* nanoseconds, in which a timer may interrupt */
#define ENOUGH     5000    /* instructions of the others while a CPU is stopped */
#define EXPECTED   32u     /* accesses after a stop within which an interrupt comes */
#define RARER_MOST 6       /* stops at a place make the next there rarer, up to 2 to this power */

enum { INTERRUPTS_KNOWN = QEMU_API >= 4 };

static struct cpu {
    _Alignas(64) uint32_t left; /* accesses until `looks` returns true */
    qemu_plugin_meminfo_t last_info;
    uint64_t last;             /* address of the last access */
    uint64_t seen[SEEN];       /* lines */
    struct race_recent recent; /* since the CPU looks for a place to stop */
    uint64_t seed;
    uint32_t tries;  /* that are left */
    uint64_t fenced; /* 1 + the address that was stored before a fence; 0: none */
    uint32_t fenced_length;
    uint64_t handler;  /* HANDLER while one runs, 0 otherwise */
    bool stops;        /* the CPU has found where to stop */
    bool alone;        /* ... for its own handlers */
    uint32_t expected; /* accesses that are left until no interrupt is waited for */
    bool inside;       /* the handler of one that was waited for runs */
} * cpus;

static unsigned cpu_count;
static uint64_t every;          /* 0: races are not looked for */
static uint8_t stops_at[SITES]; /* [hash of the instruction's address] */

/* True if races are looked for. Needs no lock. */
static bool race_watch(void)
{
    return every > 0;
}

const char *race_begin(qemu_plugin_id_t id, const struct request *request, const qemu_info_t *info)
{
    unsigned count = (unsigned)info->system.max_vcpus;

    every = request->race.every;
    if (!race_watch())
        return NULL;
    if (info->system.smp_vcpus < 2 && !INTERRUPTS_KNOWN)
        return "a machine of one CPU has no races; -smp 2 has two";
    cpu_count = count;
    pause_begin(id, count);
    cpus = aligned_alloc(_Alignof(struct cpu), FOLLOW_CPUS * sizeof(*cpus));
    if (!cpus || !race_words_begin(request) || !race_meet_begin(count) || !race_report_begin())
        return "out of memory";
    memset(cpus, 0, FOLLOW_CPUS * sizeof(*cpus));
    for (unsigned cpu = 0; cpu < FOLLOW_CPUS; cpu++) {
        cpus[cpu].seed = pause_seed(request->race.seed, cpu);
        cpus[cpu].left = 1 + cpu;
    }
    return NULL;
}

static void look_later(struct cpu *me)
{
    me->tries = TRIES;
    me->recent.count = 0;
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
    unsigned length = race_access_length(access);
    uint8_t stops = __atomic_load_n(stops_of(access->ip), __ATOMIC_RELAXED);

    me->left = 1;
    race_recent_keep(&me->recent, access);
    if (me->tries-- == 0)
        look_later(me);
    else if (me->recent.count > RACE_RECENTS && race_words_are_shared(access->address / LINE) &&
             !race_words_do_synchronise(access->address, length)) {
        if (!race_recent_polls(&me->recent)) {
            look_later(me);
            me->alone = INTERRUPTS_KNOWN && !me->handler &&
                        race_words_are_of(access->address / LINE, cpu, cpu + cpu_count);
            return (me->alone || pause_helps(cpu)) &&
                   pause_random(&me->seed) >> (64 - RARER_MOST) >>
                           (RARER_MOST - (stops < RARER_MOST ? stops : RARER_MOST)) ==
                       0;
        }
        race_words_synchronise(access->address, length);
    }
    return false;
}

/* False, for nearly all accesses: no more is to be done. Needs no lock. */
static bool looks(unsigned cpu, const struct race_access *access)
{
    struct cpu *me = &cpus[cpu];
    uint64_t line = access->address / LINE;

    me->last = access->address;
    me->last_info = access->info;
    if (__builtin_expect(me->seen[line % SEEN] != (line | me->handler), 0)) {
        me->seen[line % SEEN] = line | me->handler;
        race_words_use(me->handler ? cpu + cpu_count : cpu, line);
    }
    return __builtin_expect(--me->left == 0 || race_meet_is_near(access->address), 0);
}

/* Then the same of most that are left. */
static bool wants(unsigned cpu, const struct race_access *access)
{
    struct cpu *me = &cpus[cpu];

    if (me->fenced || me->expected || race_meet_is_watched(cpu))
        return true;
    me->stops = me->left == 0 && is_worth_stop(cpu, access);
    return me->stops || race_meet_is_near(access->address);
}

/* The accesses before and after a fence: a store, and then a load. */
static void pair(struct cpu *me, const struct race_access *access)
{
    if (!race_access_stores(access)) {
        race_words_synchronise(me->fenced - 1, me->fenced_length);
        race_words_synchronise(access->address, race_access_length(access));
    }
    me->fenced = 0;
}

/* --- Stops --- */

static bool stop(unsigned cpu, const struct race_access *access)
{
    uint8_t *stops = stops_of(access->ip);

    if (!race_meet_stop(cpu, access))
        return false;
    race_report_stop(*stops == 0);
    if (*stops < UINT8_MAX)
        __atomic_store_n(stops, *stops + 1, __ATOMIC_RELAXED);
    return true;
}

/* What is to be done, with the lock. True: the CPU stops now. */
static bool takes(unsigned cpu, const struct race_access *access)
{
    struct cpu *me = &cpus[cpu];
    bool stops = me->stops;

    me->stops = false;
    if (race_meet_is_near(access->address))
        race_meet_near(cpu, access);
    if (me->fenced)
        pair(me, access);
    if (race_meet_is_watched(cpu))
        race_meet_watched(cpu, access);
    if (me->expected)
        me->expected = race_meet_is_own(cpu, access) ? 0 : me->expected - 1;
    if (me->expected || race_meet_is_watched(cpu))
        me->left = 1;
    else if (me->left == 0)
        look_later(me);
    return stops && stop(cpu, access);
}

/* It continues after a stop; `ran`: others ran meanwhile. */
static void continues(unsigned cpu, bool ran)
{
    struct cpu *me = &cpus[cpu];

    race_report_continue(ran);
    race_meet_continue(cpu);
    if (!race_meet_is_watched(cpu))
        me->expected = me->handler ? 0 : EXPECTED;
    me->left = 1;
}

/*
 * --- Interrupts ---
 *
 * They had to be on just after the access, so an instruction that may turn them on ends the time in
 * which one is waited for, as does another access of the code to the same bytes.
 */

void race_interrupted(unsigned cpu, bool device)
{
    struct cpu *me;

    if (!race_watch())
        return;
    me = &cpus[cpu];
    if (device && me->expected) {
        race_report_interrupt();
        race_meet_interrupt(cpu);
        me->inside = true;
    }
    me->expected = 0;
    me->handler = HANDLER;
}

void race_switches(unsigned cpu)
{
    struct cpu *me;

    if (!race_watch())
        return;
    me = &cpus[cpu];
    me->handler = context_interrupts(follow_context(cpu)) > 0 ? HANDLER : 0;
    if (me->expected && !race_meet_is_at(cpu))
        me->expected = 0;
    if (me->inside && !race_meet_is_within(cpu)) {
        race_meet_return(cpu);
        me->inside = false;
    }
    if (race_meet_is_watched(cpu))
        me->left = 1;
}

/* --- What runs --- */

__attribute__((noinline)) static void look(unsigned cpu, const struct race_access *access)
{
    bool stops, ran;

    if (!wants(cpu, access))
        return;
    stops = run_take(cpu) && takes(cpu, access);
    plugin_unlock();
    if (!stops)
        return;
    ran = !cpus[cpu].alone && pause_now(cpu, ENOUGH);
    if (cpus[cpu].alone) /* until the time of an interrupt */
        pause_sleep(cpu, TICK);
    if (run_take(cpu))
        continues(cpu, ran);
    plugin_unlock();
}

/* For most accesses, so all that most of them need is here. */
__attribute__((flatten)) static void on_access(unsigned cpu, qemu_plugin_meminfo_t info,
                                               uint64_t address, void *own)
{
    const struct race_access access = {.ip = (uintptr_t)own, .address = address, .info = info};

    if (looks(cpu, &access))
        look(cpu, &access);
}

static void on_fence(unsigned cpu, void *own)
{
    struct cpu *me = &cpus[cpu];
    const struct race_access last = {.address = me->last, .info = me->last_info};

    (void)own;
    if (!me->last || !race_access_stores(&last))
        return;
    me->fenced = me->last + 1;
    me->fenced_length = race_access_length(&last);
    me->left = 1;
}

static void on_open(unsigned cpu, void *own)
{
    (void)own;
    cpus[cpu].expected = 0;
}

void race_watch_instruction(const struct instruction *instruction)
{
    const struct code *code = instruction->code;
    uint64_t ip = code->ip;
    enum decoded_mask kind;
    bool syncs;

    if (!race_watch() || !code_is_kernels(ip))
        return;
    kind = decode_mask(instruction->bytes);
    if (kind == DECODED_STI || kind == DECODED_POPF)
        qemu_plugin_register_vcpu_insn_exec_cb(instruction->qemu, on_open, QEMU_PLUGIN_CB_NO_REGS,
                                               NULL);
    if (decode_is_fence(instruction->bytes))
        qemu_plugin_register_vcpu_insn_exec_cb(instruction->qemu, on_fence, QEMU_PLUGIN_CB_NO_REGS,
                                               NULL);
    syncs = decode_is_atomic(instruction->bytes) || race_words_are_named(ip);
    if (code->kind == DECODED_INTERRUPT_RETURN) /* pops, and reads descriptors */
        return;
    if (syncs ||
        (!decode_is_of_stack(code->kind, code->target) && !decode_is_frame(instruction->bytes)))
        qemu_plugin_register_vcpu_mem_cb(
            instruction->qemu, syncs ? race_words_on_atomic : on_access, QEMU_PLUGIN_CB_NO_REGS,
            QEMU_PLUGIN_MEM_RW, (void *)(uintptr_t)ip);
}

void race_end(void)
{
    if (!race_watch())
        return;
    plugin_lock();
    race_meet_end();
    race_report_tell();
    plugin_unlock();
}
