/* SPDX-License-Identifier: BSD-2-Clause */
/* See run.h. */
#include "outside/plugin/run.h"

#include "outside/plugin/blame.h"
#include "outside/plugin/code.h"
#include "outside/plugin/cover.h"
#include "outside/plugin/events.h"
#include "outside/plugin/follow.h"
#include "outside/plugin/graph.h"
#include "outside/plugin/last.h"
#include "outside/plugin/locks.h"
#include "outside/plugin/tell.h"
#include "outside/plugin/window.h"

#define ACCESS_MOST 64 /* bytes of the longest access: a vector register */

static struct cpu {
    _Alignas(64) uint64_t time; /* instructions, counted as each block begins; other CPUs read it */
    uint64_t due;               /* time of the next sample of instructions */
    const struct block *last;
    bool left; /* the call that ends `last` was made, or its jump, return or the like has begun */
    uint64_t calls; /* while hits were counted */
} cpus[FOLLOW_CPUS];

struct run run = {.chains = true};

static struct wire_end totals;
static bool begun;

bool run_begin(unsigned count)
{
    locks_begin(count);
    store_begin(count);
    run.returns = events_returns();
    run.entries = run.graph || run.returns || run.last;
    last_init(run.last);
    return follow_init() && (!run.graph || graph_init());
}

/* An interrupt or exception has come, and its handler begins at `start`. */
static void interrupt(unsigned cpu, uint64_t site, uint64_t start)
{
    totals.interrupts += window_open();
    follow_interrupt(cpu, site);
    events_on_interrupt(cpu, cpus[cpu].time, start);
}

/* Follows the last instruction of the block, after which code continues at `start`. */
static void follow_last(unsigned cpu, const struct block *last, uint64_t start)
{
    switch (last->ends) {
    case DECODED_RETURN:
        totals.unmatched += !follow_return(cpu, start);
        if (run.returns)
            events_on_return(cpu, cpus[cpu].time, last->last, follow_returned(cpu));
        break;
    case DECODED_SYSCALL:
    case DECODED_SYSRET:
        follow_border(cpu);
        break;
    case DECODED_INTERRUPTS:
        interrupt(cpu, last->last, start);
        break;
    case DECODED_INTERRUPT_RETURN:
        follow_interrupt_return(cpu);
        break;
    default:
        break;
    }
}

/*
 * Follows an interrupt after the end of the last block, or a trap in it; its handler begins at
 * `start`.
 */
static void follow_entry(unsigned cpu, const struct block *last, uint64_t next, uint64_t start)
{
    uint64_t site = entry_site(last, cpus[cpu].left);

    if (last->ends == DECODED_INTERRUPT_RETURN) /* no instruction has run since */
        site = follow_interrupt_site(cpu);
    else if (next)
        site = next;
    if (last->ends != DECODED_RETURN || next || last->pushes)
        follow_last(cpu, last, next);
    interrupt(cpu, site ? site : last->last, start);
}

__attribute__((noinline)) static void follow_end(unsigned cpu, const struct block *last,
                                                 uint64_t start)
{
    uint64_t next = last->ends == DECODED_RETURN ? follow_next(cpu) : 0;

    if (entry_trapped(last, start, cpus[cpu].left))
        interrupt(cpu, last->last, start);
    else if (entry_came(last, start, next))
        follow_entry(cpu, last, next, start);
    else if (entry_reached_end(last, start, cpus[cpu].left))
        follow_last(cpu, last, start);
}

/*
 * True if the block begins at the end or target of the last one, as most do, or if the last
 * instruction repeats, by `rep` or a restart; and if that instruction needs no action.
 */
static bool block_continues(const struct block *last, uint64_t start)
{
    return last->plain && (start == last->end || start == last->target || start == last->last);
}

/* Follows a return that ends the innermost call, as most do; false: another case. */
static bool block_returns(unsigned cpu, const struct block *last, uint64_t start)
{
    bool returns;

    if (last->ends != DECODED_RETURN || !cpus[cpu].left || run.entries)
        return false;
    locks_take_own(cpu);
    returns = follow_returns_to(cpu, start);
    locks_give_own(cpu);
    return returns;
}

/* A function begins at `start`, or continues there. */
static void function_begins(const struct cpu *here, unsigned cpu, uint64_t start)
{
    bool called = follow_begin(cpu, start);

    if (run.graph)
        graph_continue(cpu, called, here->time);
    if (run.last && called)
        last_begins(cpu, start, here->time);
}

/* Out of line: most blocks do not need it. */
__attribute__((noinline)) static void block_differs(struct cpu *here, unsigned cpu,
                                                    const struct block *block)
{
    const struct block *last = here->last;
    bool continues = last && block_continues(last, block->start);

    here->last = block;
    if (run.returns)
        follow_time(cpu, here->time);
    if (run.chains && last && !continues)
        follow_end(cpu, last, block->start);
    if (run.entries && (here->left || !continues))
        function_begins(here, cpu, block->start);
    here->left = false;
    here->time += block->count;
    if (here->time >= here->due)
        here->due = events_on_instructions(cpu, here->time, block->start);
}

/* The slow path of a block's beginning: it needs state that CPUs share. */
__attribute__((noinline)) static void block_first(unsigned cpu, const struct block *block)
{
    locks_take_all();
    if (!begun)
        __atomic_store_n(&begun, block->kernel, __ATOMIC_RELAXED);
    if (begun)
        block_differs(&cpus[cpu], cpu, block);
    locks_give_all();
}

static void block_goes(struct cpu *here, const struct block *block)
{
    here->last = block;
    here->left = false;
    __atomic_store_n(&here->time, here->time + block->count, __ATOMIC_RELAXED);
}

/* Out of line, so that most blocks need not save registers. */
__attribute__((noinline)) static void block_jumps(unsigned cpu, const struct block *block)
{
    struct cpu *here = &cpus[cpu];
    const struct block *last = here->last;

    if (block_returns(cpu, last, block->start) || entry_is_led_to(last, block->start, here->left))
        block_goes(here, block);
    else
        block_first(cpu, block);
}

/* Most blocks need no lock: they change only this CPU's state. */
void run_block(unsigned cpu, void *own)
{
    const struct block *block = own;
    struct cpu *here = &cpus[cpu];
    const struct block *last = here->last;
    uint64_t time = here->time + block->count;

    if (__builtin_expect(!last || time >= here->due || (here->left && run.entries), 0))
        block_first(cpu, block);
    else if (run.chains && !block_continues(last, block->start))
        block_jumps(cpu, block);
    else
        block_goes(here, block);
}

/* All CPUs are reset together, and firmware runs again before the kernel. */
void run_reset(unsigned first, void *own)
{
    (void)first;
    (void)own;
    locks_take_all();
    __atomic_store_n(&begun, false, __ATOMIC_RELAXED);
    code_reset();
    for (unsigned cpu = 0; cpu < FOLLOW_CPUS; cpu++) {
        cpus[cpu].last = NULL;
        follow_border(cpu);
    }
    locks_give_all();
}

static uint64_t site_of(const void *own)
{
    return (uintptr_t)own;
}

/*
 * QEMU 7.2 may call this again for a later store by the CPU, such as an interrupt's frame. Only the
 * first store is the call's, because a call ends its block, and stores once.
 */
void run_call(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t place, void *own)
{
    struct cpu *here = &cpus[cpu];
    uint64_t site = site_of(own);
    unsigned size;

    if (!here->last || here->last->last != site || here->left || !qemu_plugin_mem_is_store(info))
        return;
    size = (unsigned)(here->last->end - site);
    here->left = true;
    here->calls += window_open();
    locks_take_own(cpu);
    bool again = !run.entries && follow_calls_again(cpu, place, site + size);
    locks_give_own(cpu);
    if (again)
        return;
    locks_take_all();
    follow_call(cpu, place, site, size);
    locks_give_all();
}

void run_leaves(unsigned cpu, void *own)
{
    if (cpus[cpu].last && cpus[cpu].last->last == site_of(own))
        cpus[cpu].left = true;
}

void run_load(unsigned cpu, void *own)
{
    (void)own;
    locks_take_own(cpu);
    if (begun) {
        if (run.returns)
            follow_time(cpu, cpus[cpu].time);
        follow_load(cpu);
    }
    locks_give_own(cpu);
}

void run_place(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t place, void *own)
{
    (void)info;
    (void)own;
    locks_take_all();
    if (begun)
        follow_place(cpu, place);
    locks_give_all();
}

void run_replace(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t place, void *own)
{
    (void)info;
    (void)own;
    locks_take_own(cpu);
    if (begun)
        follow_replace(cpu, place);
    locks_give_own(cpu);
}

/*
 * Returns the instructions executed on all CPUs; if a block has just begun at `ip` on this CPU,
 * without those of this block, which are already counted.
 */
static uint64_t instructions_before(unsigned cpu, uint64_t ip)
{
    const struct block *block = cpus[cpu].last;
    uint64_t sum = 0;

    for (unsigned i = 0; i < FOLLOW_CPUS; i++)
        sum += __atomic_load_n(&cpus[i].time, __ATOMIC_RELAXED);
    return block && block->start == ip ? sum - block->count : sum;
}

static void end_if_stopped(unsigned cpu, uint64_t ip)
{
    if (__builtin_expect(events_stopped(), 0))
        window_end(instructions_before(cpu, ip));
}

static void access_memory(unsigned cpu, uint64_t address, unsigned length, uint64_t ip,
                          unsigned access)
{
    if (__builtin_expect(!events_are_near(address, length), 1))
        return;
    locks_take_all();
    if (begun) {
        events_on_access(cpu, cpus[cpu].time, ip, address, length, access);
        end_if_stopped(cpu, ip);
    }
    locks_give_all();
}

void run_access(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void *own)
{
    if (__builtin_expect(!events_are_near(address, ACCESS_MOST), 1))
        return; /* saves asking QEMU for the length */
    access_memory(cpu, address, 1u << qemu_plugin_mem_size_shift(info), site_of(own),
                  qemu_plugin_mem_is_store(info) ? WIRE_WRITE : WIRE_READ);
}

/* With a thread per CPU, QEMU reports an atomic access once, as a store. */
void run_atomic(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void *own)
{
    access_memory(cpu, address, 1u << qemu_plugin_mem_size_shift(info), site_of(own),
                  qemu_plugin_mem_is_store(info) ? WIRE_READ | WIRE_WRITE : WIRE_READ);
}

/* QEMU 7.2 also reports the read of a read-modify-write when only writes are requested. */
static void take_store(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, const void *own,
                       bool atomic)
{
    struct store store = {.time = cpus[cpu].time,
                          .ip = site_of(own),
                          .address = address,
                          .length = 1u << qemu_plugin_mem_size_shift(info),
                          .atomic = atomic,
                          .info = info};

    if (!qemu_plugin_mem_is_store(info))
        return;
    locks_take_all();
    if (begun)
        blame_on_store(cpu, &store);
    locks_give_all();
}

void run_store(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void *own)
{
    take_store(cpu, info, address, own, false);
}

void run_atomic_store(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void *own)
{
    take_store(cpu, info, address, own, true);
}

void run_function(unsigned cpu, void *own)
{
    locks_take_all();
    if (begun) {
        events_on_call(cpu, cpus[cpu].time, site_of(own));
        end_if_stopped(cpu, site_of(own));
    }
    locks_give_all();
}

void run_border(unsigned cpu, void *own)
{
    locks_take_all();
    if (begun)
        window_cross(site_of(own), instructions_before(cpu, site_of(own)));
    locks_give_all();
}

void run_end(void)
{
    locks_take_all();
    for (unsigned cpu = 0; cpu < FOLLOW_CPUS; cpu++) {
        totals.instructions += cpus[cpu].time;
        totals.calls += cpus[cpu].calls;
        if (cpus[cpu].time)
            tell_number(WIRE_CLOCK, cpu, cpus[cpu].time);
        if (run.graph)
            graph_end(cpu, cpus[cpu].time);
        if (run.last && cpus[cpu].last)
            last_tell(cpu, cpus[cpu].last->start, cpus[cpu].time);
    }
    totals.instructions += cover_tell();
    blame_tell();
    totals.within = window_instructions(totals.instructions);
    events_tell(totals.within);
    totals.samples_left_out = window_left_out();
    if (run.graph)
        graph_tell();
    tell_end(&totals);
    locks_give_all();
}
