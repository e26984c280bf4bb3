/* SPDX-License-Identifier: BSD-2-Clause */
/* See smp.h. One CPU at a time runs ap_start, ap_entry_high and smp_main. */

#include "kernel/x86_64/smp.h"
#include "arch/cpu.h"
#include "arch/memory.h"
#include "arch/unwind.h"
#include "arch/x86_64/cpu/cpu.h"
#include "arch/x86_64/entry/trap.h"
#include "arch/x86_64/smp/patience.h"
#include "kernel/x86_64/cpu/apic.h"
#include "kernel/x86_64/cpu/percpu.h"
#include "kernel/x86_64/entry/stacks.h"
#include "kernel/x86_64/memory/image.h"
#include "kernel/x86_64/memory/paging.h"

/* "MP Initialization Protocol Algorithm" */
#define INIT_NS     10000000ull
#define STARTUP_NS  200000ull
#define PATIENCE_NS 2000000000ull /* emulated CPUs take turns: patience.h */

#define ROUNDS 16 /* of clock comparison */

extern const char ap_start[], ap_start_end[]; /* boot/long_mode.asm; physical */

struct smp_start smp_start; /* read by ap_entry_high */

static uint32_t page; /* set at boot, as below */
static void (*entry)(void);
static unsigned starting;
static bool all_reset;    /* all other CPUs have been reset and wait to be started; ... */
static uint64_t reset_at; /* ... when the last of them was reset */

/* The clock comparison: whose turn it is, and the time that the starting CPU read. [A] */
static uint32_t turn;
static uint64_t said;

void smp_place(uint32_t low_page)
{
    size_t size = (size_t)(ap_start_end - ap_start);

    arch_check(size <= PAGE_SIZE);
    __builtin_memcpy(direct_address(low_page), direct_address((uintptr_t)ap_start), size);
    page = low_page;
}

/* The interrupt's exit checks for work. */
static void poked(struct regs *regs)
{
    (void)regs;
    apic_end();
}

static void spurious(struct regs *regs)
{
    (void)regs;
}

void arch_cpu_poke(unsigned cpu)
{
    apic_send(percpu[cpu].apic_id, VECTOR_APIC_POKE);
}

void smp_init(const uint32_t *apic_ids, size_t count)
{
    arch_check(count < ARCH_CPUS_MAX);
    for (size_t i = 0; i < count; i++)
        percpu[i + 1].apic_id = apic_ids[i];
    percpu_set_count((unsigned)count + 1);
    trap_set_handler(VECTOR_APIC_POKE, poked);
    trap_set_handler(VECTOR_APIC_SPURIOUS, spurious);
}

/* The starting CPU's side of the clock comparison. */
static void tell_clock(void)
{
    for (uint32_t round = 0; round < ROUNDS; round++) {
        while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != 2 * round + 1)
            arch_relax();
        said = arch_clock_ns();
        __atomic_store_n(&turn, 2 * round + 2, __ATOMIC_RELEASE);
    }
}

/* For arch_cpu_clock_off: reads the other CPU's clock between two readings of this one. */
static int64_t compare_clocks(uint64_t *window)
{
    int64_t off = 0;

    *window = UINT64_MAX;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint64_t before = arch_clock_ns(), after;

        __atomic_store_n(&turn, 2 * round + 1, __ATOMIC_RELEASE);
        while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != 2 * round + 2)
            arch_relax();
        after = arch_clock_ns();
        if (after - before >= *window)
            continue;
        *window = after - before;
        off = said < before ? (int64_t)(said - before) : said > after ? (int64_t)(said - after) : 0;
    }
    return off;
}

_Noreturn void smp_main(void)
{
    paging_set_control();
    percpu_init(starting);
    apic_enable(false);
    __atomic_store_n(&percpu_self()->runs, true, __ATOMIC_RELEASE);
    tell_clock();
    entry();
    arch_halt();
}

static bool await_running(unsigned cpu, uint64_t nanoseconds)
{
    struct patience patience;

    patience_begin(&patience, nanoseconds, arch_clock_ns());
    while (!arch_cpu_runs(cpu)) {
        if (patience_is_over(&patience, arch_clock_ns()))
            return false;
        arch_relax();
    }
    return true;
}

/* Resets all at once: each must be left alone for INIT_NS, up to 0.6 s in total for 64 CPUs. */
static void reset_others(void)
{
    for (unsigned cpu = 1; cpu < arch_cpus(); cpu++)
        apic_send_init(percpu[cpu].apic_id);
    reset_at = arch_clock_ns();
    all_reset = true;
}

/* The second start-up message is for CPUs that missed the first; others ignore it. */
bool arch_cpu_start(unsigned cpu, const struct arch_stack *stack, void (*begin)(void))
{
    arch_check(cpu > 0 && cpu < arch_cpus());
    if (!stacks_make(cpu))
        return false;
    starting = cpu;
    entry = begin;
    turn = 0;
    smp_start.page_tables = cpu_read_cr3();
    __atomic_store_n(&smp_start.stack, stack->high, __ATOMIC_RELEASE);
    if (!all_reset)
        reset_others();
    while (arch_clock_ns() - reset_at < INIT_NS)
        arch_relax();
    apic_send_startup(percpu[cpu].apic_id, page);
    if (!await_running(cpu, STARTUP_NS))
        apic_send_startup(percpu[cpu].apic_id, page);
    /* A CPU that has taken the stack has started; one that comes later finds no stack and stops. */
    if (!await_running(cpu, PATIENCE_NS) &&
        __atomic_exchange_n(&smp_start.stack, 0, __ATOMIC_ACQ_REL) != 0) {
        apic_send_init(percpu[cpu].apic_id); /* a late CPU must not take the next CPU's stack */
        return false;
    }
    while (!arch_cpu_runs(cpu))
        arch_relax();
    percpu[cpu].clock_off = compare_clocks(&percpu[cpu].clock_window);
    return true;
}

int64_t arch_cpu_clock_off(unsigned cpu, uint64_t *window)
{
    *window = percpu[cpu].clock_window;
    return percpu[cpu].clock_off;
}
