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

/* Per CPU: in the array that QEMU's code counts in, and what goes with it. */
struct counters {
    uint64_t executed; /* DUE less the instructions to the next sample */
    uint64_t expected; /* not 0: a callee's first block is expected */
    uint64_t place;    /* of the last block */
};

static struct qemu_plugin_scoreboard *board;
static uint64_t offsets[FOLLOW_CPUS]; /* time less `executed` */
static unsigned count;                /* CPUs so far; QEMU has no counters for others */

static qemu_plugin_u64 executed(void)
{
    return (qemu_plugin_u64){board, offsetof(struct counters, executed)};
}

static qemu_plugin_u64 expected(void)
{
    return (qemu_plugin_u64){board, offsetof(struct counters, expected)};
}

static qemu_plugin_u64 place(void)
{
    return (qemu_plugin_u64){board, offsetof(struct counters, place)};
}

/* A CPU is due at its first block. */
static void begin_cpu(unsigned cpu)
{
    qemu_plugin_u64_set(executed(), cpu, DUE);
    offsets[cpu] = -DUE;
    count = cpu < count ? count : cpu + 1;
}

#if QEMU_API >= 7
static void on_cpu(unsigned cpu, void *own)
{
    (void)own;
    begin_cpu(cpu);
}

static void expect_cpus(qemu_plugin_id_t id)
{
    qemu_plugin_register_vcpu_init_cb(id, on_cpu, NULL);
}
#else
static void on_cpu(qemu_plugin_id_t id, unsigned cpu)
{
    (void)id;
    begin_cpu(cpu);
}

static void expect_cpus(qemu_plugin_id_t id)
{
    qemu_plugin_register_vcpu_init_cb(id, on_cpu);
}
#endif

bool clock_begin(qemu_plugin_id_t id)
{
    board = qemu_plugin_scoreboard_new(sizeof(struct counters));
    expect_cpus(id);
    return board;
}

uint64_t clock_time(unsigned cpu)
{
    return cpu < count ? qemu_plugin_u64_get(executed(), cpu) + offsets[cpu] : 0;
}

uint64_t clock_sum(void)
{
    uint64_t sum = qemu_plugin_u64_sum(executed());

    for (unsigned cpu = 0; cpu < FOLLOW_CPUS; cpu++)
        sum += offsets[cpu];
    return sum;
}

uint64_t clock_place(unsigned cpu)
{
    return cpu < count ? qemu_plugin_u64_get(place(), cpu) : 0;
}

void clock_expect(unsigned cpu)
{
    qemu_plugin_u64_set(expected(), cpu, 1);
}

/* Samples are due, or the CPU's first block begins. */
static void on_due(unsigned cpu, void *own)
{
    const struct block *block = own;
    uint64_t time = clock_time(cpu), next = run_due(cpu, time, block->start);
    uint64_t left = next - time < DUE ? next - time : DUE;

    qemu_plugin_u64_set(executed(), cpu, DUE - left);
    offsets[cpu] = time - (DUE - left);
}

static void on_expected(unsigned cpu, void *own)
{
    const struct block *block = own;

    qemu_plugin_u64_set(expected(), cpu, 0);
    run_begins(cpu, block->start);
}

void clock_watch(struct qemu_plugin_tb *translated, const struct block *block)
{
    void *own = (void *)(uintptr_t)block;

    if (run.entries) /* before the block counts: the callee pays for it */
        qemu_plugin_register_vcpu_tb_exec_cond_cb(translated, on_expected, QEMU_PLUGIN_CB_NO_REGS,
                                                  QEMU_PLUGIN_COND_GE, expected(), 1, own);
    qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(translated, QEMU_PLUGIN_INLINE_ADD_U64,
                                                      executed(), block->count);
    if (run.last)
        qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(translated, QEMU_PLUGIN_INLINE_STORE_U64,
                                                          place(), block->start);
    if (run.samples)
        qemu_plugin_register_vcpu_tb_exec_cond_cb(translated, on_due, QEMU_PLUGIN_CB_R_REGS,
                                                  QEMU_PLUGIN_COND_GE, executed(), DUE, own);
}
#else
static struct cpu {
    _Alignas(64) uint64_t time; /* other CPUs read it */
    uint64_t due;               /* time of the next sample */
    const struct block *last;
    bool expected;
    bool ended; /* the last block's last instruction has accessed memory */
} cpus[FOLLOW_CPUS];

bool clock_begin(qemu_plugin_id_t id)
{
    (void)id;
    for (unsigned cpu = 0; cpu < FOLLOW_CPUS && !run.samples; cpu++)
        cpus[cpu].due = UINT64_MAX;
    return true;
}

uint64_t clock_time(unsigned cpu)
{
    return __atomic_load_n(&cpus[cpu].time, __ATOMIC_RELAXED);
}

uint64_t clock_sum(void)
{
    uint64_t sum = 0;

    for (unsigned cpu = 0; cpu < FOLLOW_CPUS; cpu++)
        sum += clock_time(cpu);
    return sum;
}

uint64_t clock_place(unsigned cpu)
{
    return cpus[cpu].last ? cpus[cpu].last->start : 0;
}

void clock_expect(unsigned cpu)
{
    cpus[cpu].expected = true;
}

static void count(struct cpu *here, const struct block *block, uint64_t time)
{
    here->last = block;
    __atomic_store_n(&here->time, time, __ATOMIC_RELAXED);
}

/* Out of line, so that most blocks need not save registers. */
__attribute__((noinline)) static void begin_block(unsigned cpu, const struct block *block)
{
    struct cpu *here = &cpus[cpu];

    if (run.chains)
        facts_block(cpu, block);
    if (here->expected) {
        here->expected = false;
        run_begins(cpu, block->start);
    }
    count(here, block, here->time + block->count);
    if (here->time >= here->due)
        here->due = run_due(cpu, here->time, block->start);
}

static void on_block(unsigned cpu, void *own)
{
    const struct block *block = own;
    struct cpu *here = &cpus[cpu];
    uint64_t time = here->time + block->count;

    here->ended = false;
    if (__builtin_expect(*log_news[cpu] || here->expected || time >= here->due, 0))
        begin_block(cpu, block);
    else
        count(here, block, time);
}

bool clock_first_access(unsigned cpu, uint64_t end)
{
    bool first = !cpus[cpu].ended && cpus[cpu].last && cpus[cpu].last->end == end;

    cpus[cpu].ended |= first;
    return first;
}

void clock_watch(struct qemu_plugin_tb *translated, const struct block *block)
{
    qemu_plugin_register_vcpu_tb_exec_cb(
        translated, on_block, run.registers ? QEMU_PLUGIN_CB_R_REGS : QEMU_PLUGIN_CB_NO_REGS,
        (void *)(uintptr_t)block);
}
#endif
