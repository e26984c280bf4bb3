/* SPDX-License-Identifier: BSD-2-Clause */
/* See run.h. */
#include "outside/plugin/run.h"

#include <sched.h>
#include <stdatomic.h>

#include "outside/plugin/blame.h"
#include "outside/plugin/cover.h"
#include "outside/plugin/events.h"
#include "outside/plugin/follow.h"
#include "outside/plugin/graph.h"
#include "outside/plugin/last.h"
#include "outside/plugin/tell.h"
#include "outside/plugin/window.h"

#define SPINS_MOST 64 /* then the lock's owner may have no CPU of the host */

static struct cpu {
    uint64_t time; /* instructions, counted at the beginning of each block; others read it */
    uint64_t due;  /* when instructions are sampled next */
    const struct block *last;
    bool called; /* the call that ends `last` has been made */
} cpus[FOLLOW_CPUS];

struct run run = {.chains = true};

static struct wire_end totals;
static bool begun;
static atomic_flag lock = ATOMIC_FLAG_INIT;

void run_enter(void)
{
    for (unsigned spins = 0;
         run.several && atomic_flag_test_and_set_explicit(&lock, memory_order_acquire); spins++)
        if (spins >= SPINS_MOST)
            sched_yield();
}

void run_leave(void)
{
    if (run.several)
        atomic_flag_clear_explicit(&lock, memory_order_release);
}

bool run_begin(unsigned count)
{
    run.several = count > 1;
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

/* What the last instruction of the block has done, as code continues at `start`. */
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

/* An interrupt has come; the last block has come to its end, or has trapped. */
static void follow_entry(unsigned cpu, const struct block *last, uint64_t next, uint64_t start)
{
    uint64_t site = entry_site(last, cpus[cpu].called);

    if (last->ends == DECODED_INTERRUPT_RETURN) /* nothing has run since the one that it ends */
        site = follow_interrupt_site(cpu);
    else if (next)
        site = next;
    if (last->ends != DECODED_RETURN || next)
        follow_last(cpu, last, next);
    interrupt(cpu, site ? site : last->last, start);
}

__attribute__((noinline)) static void follow_end(unsigned cpu, const struct block *last,
                                                 uint64_t start)
{
    uint64_t next = last->ends == DECODED_RETURN ? follow_next(cpu) : 0;

    if (entry_came(last, start, next))
        follow_entry(cpu, last, next, start);
    else if (entry_reached_end(last, start, next))
        follow_last(cpu, last, start);
}

/* Most blocks continue where the last one leads, which is no call's end. */
static bool block_continues(const struct block *last, uint64_t start)
{
    return last->plain && (start == last->end || start == last->target);
}

/* Most returns end the innermost call. With several CPUs its stack is looked at under the lock. */
static bool block_returns(unsigned cpu, const struct block *last, uint64_t start)
{
    return last->ends == DECODED_RETURN && !run.several && !run.entries &&
           follow_returns_to(cpu, start);
}

/* It may begin at `start`; else that is where one continues. */
static void function_begins(const struct cpu *here, unsigned cpu, uint64_t start)
{
    bool called = follow_begin(cpu, start);

    if (run.graph)
        graph_continue(cpu, called, here->time);
    if (run.last && called)
        last_begins(cpu, start, here->time);
}

/* Out of line: most blocks need none of it. */
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
    if (run.entries && (here->called || !continues))
        function_begins(here, cpu, block->start);
    here->called = false;
    here->time += block->count;
    if (here->time >= here->due)
        here->due = events_on_instructions(cpu, here->time, block->start);
}

/* All else that begins with a block needs what CPUs share. */
__attribute__((noinline)) static void block_first(unsigned cpu, const struct block *block)
{
    run_enter();
    if (!begun)
        __atomic_store_n(&begun, block->kernel, __ATOMIC_RELAXED);
    if (begun)
        block_differs(&cpus[cpu], cpu, block);
    run_leave();
}

/* Most blocks need no lock: they change what is this CPU's alone. */
void run_block(unsigned cpu, void *own)
{
    const struct block *block = own;
    struct cpu *here = &cpus[cpu];
    const struct block *last = here->last;
    uint64_t time = here->time + block->count;

    if (__builtin_expect(!last || time >= here->due || (here->called && run.entries), 0) ||
        (run.chains && !block_continues(last, block->start) &&
         !block_returns(cpu, last, block->start))) {
        block_first(cpu, block);
        return;
    }
    here->last = block;
    here->called = false;
    __atomic_store_n(&here->time, time, __ATOMIC_RELAXED);
}

static uint64_t site_of(const void *own)
{
    return (uintptr_t)own;
}

/*
 * QEMU 7.2 may call this again for what the CPU itself stores afterwards, the frame of an
 * interrupt. A call is the last instruction of its block, and stores once.
 */
void run_call(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t place, void *own)
{
    run_enter();
    if (begun && cpus[cpu].last && qemu_plugin_mem_is_store(info) &&
        cpus[cpu].last->last == site_of(own) && !cpus[cpu].called) {
        const struct block *block = cpus[cpu].last;

        totals.calls += window_open();
        cpus[cpu].called = true;
        follow_call(cpu, place, site_of(own), (unsigned)(block->end - site_of(own)));
    }
    run_leave();
}

void run_load(unsigned cpu, void *own)
{
    (void)own;
    run_enter();
    if (begun) {
        if (run.returns)
            follow_time(cpu, cpus[cpu].time);
        follow_load(cpu);
    }
    run_leave();
}

void run_place(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t place, void *own)
{
    (void)info;
    (void)own;
    run_enter();
    if (begun)
        follow_place(cpu, place);
    run_leave();
}

/* All of them on all CPUs, but for the block that has just begun on this one. */
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

void run_access(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void *own)
{
    unsigned length = 1u << qemu_plugin_mem_size_shift(info);

    if (__builtin_expect(!events_are_near(address, length), 1))
        return;
    run_enter();
    if (begun) {
        events_on_access(cpu, cpus[cpu].time, site_of(own), address, length,
                         qemu_plugin_mem_is_store(info) ? WIRE_WRITE : WIRE_READ);
        end_if_stopped(cpu, site_of(own));
    }
    run_leave();
}

/* In QEMU 7.2 a read-modify-write comes as a read, too, even where writes alone are asked for. */
void run_store(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void *own)
{
    if (!qemu_plugin_mem_is_store(info))
        return;
    run_enter();
    if (begun)
        blame_on_store(cpu, cpus[cpu].time, site_of(own), address,
                       1u << qemu_plugin_mem_size_shift(info));
    run_leave();
}

void run_function(unsigned cpu, void *own)
{
    run_enter();
    if (begun) {
        events_on_call(cpu, cpus[cpu].time, site_of(own));
        end_if_stopped(cpu, site_of(own));
    }
    run_leave();
}

void run_border(unsigned cpu, void *own)
{
    run_enter();
    if (begun)
        window_cross(site_of(own), instructions_before(cpu, site_of(own)));
    run_leave();
}

void run_end(void)
{
    run_enter();
    for (unsigned cpu = 0; cpu < FOLLOW_CPUS; cpu++) {
        totals.instructions += cpus[cpu].time;
        if (cpus[cpu].time)
            tell_clock(cpu, cpus[cpu].time);
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
    run_leave();
}
