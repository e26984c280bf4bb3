/* SPDX-License-Identifier: BSD-2-Clause */
/* See clock.h. */
#include "outside/plugin/clock.h"

#include "outside/plugin/events.h"
#include "outside/plugin/facts.h"
#include "outside/plugin/follow.h"
#include "outside/plugin/log.h"
#include "outside/plugin/run.h"

#if QEMU_API >= 4
#define DUE (UINT64_C(1) << 62) /* the counter's value when samples are due */

/* Per CPU, on a cache line of its own: in the array that QEMU's code counts in. */
struct counters {
    _Alignas(64) uint64_t executed; /* DUE less the instructions to the next sample */
    uint64_t expected;              /* not 0: a callee's first block is expected */
    uint64_t place;                 /* of the last block */
};

static struct qemu_plugin_scoreboard *board;
static struct counters none; /* of CPUs that the machine does not have */

static struct cpu {
    _Alignas(64) struct counters *counters; /* in `board` */
    uint64_t offset;                        /* time less `executed` */
} cpus[FOLLOW_CPUS];

static unsigned count; /* CPUs so far */

static qemu_plugin_u64 counter(size_t offset)
{
    return (qemu_plugin_u64){board, offset};
}

#define EXECUTED counter(offsetof(struct counters, executed))
#define EXPECTED counter(offsetof(struct counters, expected))
#define PLACE    counter(offsetof(struct counters, place))

void clock_find(unsigned cpu)
{
    struct counters *counters = cpu < count ? qemu_plugin_scoreboard_find(board, cpu) : &none;

    if (cpus[cpu].counters != counters)
        cpus[cpu].counters = counters;
}

/* A CPU is due at its first block. */
void clock_cpu(unsigned cpu)
{
    count = cpu < count ? count : cpu + 1;
    clock_find(cpu);
    cpus[cpu].counters->executed = DUE;
    __atomic_store_n(&cpus[cpu].offset, -DUE, __ATOMIC_RELEASE); /* last: see clock_sum */
}

bool clock_begin(unsigned most)
{
    (void)most;
    board = qemu_plugin_scoreboard_new(sizeof(struct counters));
    for (unsigned cpu = 0; cpu < FOLLOW_CPUS; cpu++)
        cpus[cpu].counters = &none;
    return board;
}

uint64_t clock_time(unsigned cpu)
{
    return cpus[cpu].counters->executed + cpus[cpu].offset;
}

/* CPUs that have not begun have no offset. */
uint64_t clock_sum(void)
{
    uint64_t sum = 0;

    if (count == 1)
        return clock_time(0);
    for (unsigned cpu = 0; cpu < count; cpu++) {
        const struct counters *counters = qemu_plugin_scoreboard_find(board, cpu);
        uint64_t offset = __atomic_load_n(&cpus[cpu].offset, __ATOMIC_ACQUIRE);

        sum += offset ? __atomic_load_n(&counters->executed, __ATOMIC_ACQUIRE) + offset : 0;
    }
    return sum;
}

uint64_t clock_place(unsigned cpu)
{
    return cpus[cpu].counters->place;
}

void clock_expect(unsigned cpu)
{
    cpus[cpu].counters->expected = 1;
}

bool clock_expects(unsigned cpu)
{
    return cpus[cpu].counters->expected;
}

/* Samples are due, or the CPU's first block begins. */
static void on_due(unsigned cpu, void *own)
{
    const struct block *block = own;
    uint64_t time = clock_time(cpu), next = run_due(cpu, time, block->start);
    uint64_t left = next - time < DUE ? next - time : DUE;

    cpus[cpu].counters->executed = DUE - left;
    cpus[cpu].offset = time - (DUE - left);
}

static void on_expected(unsigned cpu, void *own)
{
    const struct block *block = own;

    cpus[cpu].counters->expected = 0;
    run_begins(cpu, block->start);
}

/* QEMU may have moved the counters, for more CPUs: then it translates all code anew. */
static void find_moved(void)
{
    if (qemu_plugin_scoreboard_find(board, 0) == cpus[0].counters)
        return;
    for (unsigned cpu = 0; cpu < count; cpu++)
        clock_find(cpu);
}

void clock_watch(struct qemu_plugin_tb *translated, const struct block *block)
{
    void *own = (void *)(uintptr_t)block;

    find_moved();
    if (run.entries) /* before the block counts: the callee pays for it */
        qemu_plugin_register_vcpu_tb_exec_cond_cb(translated, on_expected, QEMU_PLUGIN_CB_NO_REGS,
                                                  QEMU_PLUGIN_COND_GE, EXPECTED, 1, own);
    qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(translated, QEMU_PLUGIN_INLINE_ADD_U64,
                                                      EXECUTED, block->count);
    if (run.last || run.trace)
        qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(translated, QEMU_PLUGIN_INLINE_STORE_U64,
                                                          PLACE, block->start);
    if (run.samples)
        qemu_plugin_register_vcpu_tb_exec_cond_cb(translated, on_due, QEMU_PLUGIN_CB_R_REGS,
                                                  QEMU_PLUGIN_COND_GE, EXECUTED, DUE, own);
}
#else
#include <assert.h>

#define COUNT_FROM 48 /* addresses of the host's programs are lower */

static struct cpu {
    _Alignas(64) uint64_t time; /* other CPUs read it */
    uint64_t due;               /* the time from which a block is more than counted */
    uintptr_t last;             /* the last block's address, with its count from COUNT_FROM on */
    uint64_t accessed;          /* in the block of this time the last instruction accessed memory */
    uint64_t sample;            /* time of the next sample */
    bool expected;
} cpus[FOLLOW_CPUS];

static unsigned cpu_count; /* that the machine may have */

bool clock_begin(unsigned most)
{
    cpu_count = most;
    for (unsigned cpu = 0; cpu < FOLLOW_CPUS && !run.samples; cpu++)
        cpus[cpu].due = cpus[cpu].sample = UINT64_MAX;
    return true;
}

void clock_cpu(unsigned cpu)
{
    (void)cpu;
}

uint64_t clock_time(unsigned cpu)
{
    return __atomic_load_n(&cpus[cpu].time, __ATOMIC_RELAXED);
}

void clock_find(unsigned cpu)
{
    (void)cpu;
}

uint64_t clock_sum(void)
{
    uint64_t sum = 0;

    for (unsigned cpu = 0; cpu < cpu_count; cpu++)
        sum += clock_time(cpu);
    return sum;
}

static const struct block *block_of(uintptr_t counted)
{
    return (const void *)(counted & ((UINT64_C(1) << COUNT_FROM) - 1));
}

uint64_t clock_place(unsigned cpu)
{
    return cpus[cpu].last ? block_of(cpus[cpu].last)->start : 0;
}

void clock_expect(unsigned cpu)
{
    cpus[cpu].expected = true;
    cpus[cpu].due = 0;
}

bool clock_expects(unsigned cpu)
{
    return cpus[cpu].expected;
}

static void count(struct cpu *here, uintptr_t block, uint64_t time)
{
    here->last = block;
    __atomic_store_n(&here->time, time, __ATOMIC_RELAXED);
}

/* Out of line, so that most blocks need not save registers. */
__attribute__((noinline)) static void begin_block(unsigned cpu, uintptr_t counted)
{
    const struct block *block = block_of(counted);
    struct cpu *here = &cpus[cpu];

    if (run.chains)
        facts_block(cpu, block);
    if (here->expected) {
        here->expected = false;
        run_begins(cpu, block->start);
    }
    count(here, counted, here->time + block->count);
    if (here->time >= here->sample)
        here->sample = run_due(cpu, here->time, block->start);
    here->due = here->sample;
}

/* The block itself is seldom in a cache. */
static void on_block(unsigned cpu, void *own)
{
    uintptr_t block = (uintptr_t)own;
    struct cpu *here = &cpus[cpu];
    uint64_t time = here->time + (block >> COUNT_FROM);

    if (__builtin_expect(log_has_news(cpu) | (time >= here->due), 0))
        begin_block(cpu, block);
    else
        count(here, block, time);
}

bool clock_first_access(unsigned cpu, uint64_t end)
{
    struct cpu *here = &cpus[cpu];

    if (here->accessed == here->time || block_of(here->last)->end != end)
        return false;
    here->accessed = here->time;
    return true;
}

void clock_watch(struct qemu_plugin_tb *translated, const struct block *block)
{
    uintptr_t address = (uintptr_t)block;

    assert(address >> COUNT_FROM == 0);
    qemu_plugin_register_vcpu_tb_exec_cb(
        translated, on_block, run.registers ? QEMU_PLUGIN_CB_R_REGS : QEMU_PLUGIN_CB_NO_REGS,
        (void *)(address | (uintptr_t)block->count << COUNT_FROM));
}
#endif
