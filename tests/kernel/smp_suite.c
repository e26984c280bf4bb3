/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Many CPUs at once: threads run on their CPUs, locks hold, times do not go backwards, breakpoints
 * are on every CPU or on none, and parking reaches CPUs with interrupts off. Needs at least two
 * CPUs.
 */
#include "arch/memory.h"
#include "arch/x86_64/cpu/cpu.h"
#include "arch/x86_64/debug/debugreg.h"
#include "arch/x86_64/entry/trap.h"
#include "core/breakpoint/breakpoint.h"
#include "core/lib/cpus.h"
#include "core/lib/string.h"
#include "kernel/lock/kernel_lock.h"
#include "kernel/memory/pages.h"
#include "kernel/panic/panic.h"
#include "kernel/sched/wait_queue.h"
#include "kernel/x86_64/cpu/apic.h"
#include "kernel/x86_64/cpu/percpu.h"
#include "tests/kernel/ktap.h"

static uint64_t watched __attribute__((aligned(8)));
static uint64_t hits[ARCH_CPUS_MAX]; /* [owning CPU] */

static void count_hit(struct breakpoint *breakpoint, uintptr_t address, struct regs *regs)
{
    (void)breakpoint;
    (void)address;
    (void)regs;
    hits[arch_cpu_id()]++;
}

static struct breakpoint on_watched = {.address = (uintptr_t)&watched,
                                       .length = 8,
                                       .access = ARCH_WRITE,
                                       .owner = "ktap-smp",
                                       .hit = count_hit};

/* Runs a function on each running CPU, in a separate thread, until all have returned. */
static void on_all(void (*function)(void *))
{
    struct thread *thread[ARCH_CPUS_MAX] = {NULL};
    struct refusal why;

    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++) {
        if (!arch_cpu_runs(cpu))
            continue;
        thread[cpu] = thread_create_on(cpu, "on-all", function, (void *)(uintptr_t)cpu, &why);
        if (!thread[cpu])
            panic("%s", why.text);
    }
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        if (thread[cpu])
            thread_join(thread[cpu]);
}

/* --- A CPU's registers after its start. --- */

#define PE_EM_ET_NE_WP_PG  0x80010035u
#define DE_PAE_MCE_PGE     0xe8u
#define UMIP_SMEP_SMAP     0x300800u
#define SCE_LME_LMA_NXE    0xd01u
#define WB_WT_UC_TWICE     0x0007040600070406ull
#define NOTHING_IS_WATCHED 0x400u

static uint64_t strange; /* wrong registers, of all CPUs */

static void look_at_registers(void *unused)
{
    uint64_t wrong = 0;

    (void)unused;
    wrong += cpu_read_cr0() != PE_EM_ET_NE_WP_PG;
    wrong += (cpu_read_cr4() & ~(uint64_t)UMIP_SMEP_SMAP) != DE_PAE_MCE_PGE;
    wrong += cpu_read_msr(MSR_EFER) != SCE_LME_LMA_NXE;
    wrong += cpu_read_msr(MSR_PAT) != WB_WT_UC_TWICE;
    wrong += cpu_read_dr7() != NOTHING_IS_WATCHED;
    wrong += cpu_read_ldtr() != 0;
    __atomic_fetch_add(&strange, wrong, __ATOMIC_RELAXED);
}

static void claim_nothing_is_inherited(void)
{
    strange = 0;
    on_all(look_at_registers);
    ktap_equal(strange, 0, "control registers have what the kernel wants, and nothing else");
}

/* --- Threads, locks, clock. --- */

static uint64_t misplaced, shared, under_kernel_lock;
static struct spinlock lock = {.name = "ktap-smp"};

#define ROUNDS 2000

static void count_together(void *cpu)
{
    __atomic_fetch_add(&misplaced, arch_cpu_id() != (uintptr_t)cpu, __ATOMIC_RELAXED);
    for (unsigned i = 0; i < ROUNDS; i++) {
        spinlock_acquire(&lock);
        shared++;
        spinlock_release(&lock);
        lock_kernel();
        under_kernel_lock++;
        unlock_kernel();
        if (i % 64 == 0)
            thread_yield();
    }
}

static void take_pages(void *unused)
{
    void *page[16];

    (void)unused;
    for (unsigned round = 0; round < 50; round++) {
        for (unsigned i = 0; i < 16; i++)
            if ((page[i] = pages_alloc(i % 3)))
                memset(page[i], (int)i, PAGE_SIZE << i % 3);
        for (unsigned i = 0; i < 16; i++)
            if (page[i])
                pages_free(page[i], i % 3);
    }
}

static void claim_locks(void)
{
    uint64_t pages;

    misplaced = shared = under_kernel_lock = 0;
    on_all(count_together);
    ktap_equal(misplaced, 0, "a thread runs on the CPU that it was made for");
    ktap_equal(shared, (uint64_t)ROUNDS * cpus_running(), "a spinlock holds between CPUs");
    ktap_equal(under_kernel_lock, (uint64_t)ROUNDS * cpus_running(), "so does the kernel lock");
    pages = pages_free_count();
    on_all(take_pages);
    ktap_equal(pages_free_count(), pages, "pages that all CPUs took at once are back");
}

/* The newest time that any CPU has read: no CPU may read an older one afterwards. */
static uint64_t newest, backwards;

static void tell_time(void *unused)
{
    (void)unused;
    for (unsigned i = 0; i < 20 * ROUNDS; i++) {
        uint64_t seen = __atomic_load_n(&newest, __ATOMIC_SEQ_CST), now = arch_clock_ns();

        if (now < seen)
            __atomic_fetch_add(&backwards, 1, __ATOMIC_RELAXED);
        while (seen < now && !__atomic_compare_exchange_n(&newest, &seen, now, false,
                                                          __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
        }
        if (i % 16 == 0)
            arch_relax();
    }
}

/* Two CPUs wake each other in turn. */
static struct wait_queue turns = WAIT_QUEUE("turn");
static unsigned turn;
static uint64_t taken;

static void take_turns(void *data)
{
    unsigned mine = (unsigned)(uintptr_t)data;

    if (mine > 1)
        return;
    for (unsigned i = 0; i < ROUNDS; i++) {
        uint64_t flags = wait_queue_lock(&turns);

        while (turn % 2 != mine)
            flags = wait_queue_sleep(&turns, flags);
        turn++;
        taken++;
        wait_queue_wake_all_locked(&turns);
        wait_queue_unlock(&turns, flags);
    }
}

static void claim_order(void)
{
    newest = backwards = taken = turn = 0;
    on_all(tell_time);
    ktap_equal(backwards, 0, "no CPU is told a time before one that another has seen");
    on_all(take_turns);
    ktap_equal(taken, 2ull * ROUNDS, "CPUs that sleep are woken by others, each time");
}

/* --- Breakpoints. --- */

static uint64_t armed_somewhere; /* registers, as read from DR7 */

static void write_watched(void *unused)
{
    (void)unused;
    for (unsigned i = 0; i < 100; i++)
        *(volatile uint64_t *)&watched = i;
}

static void look_at_dr7(void *unused)
{
    uint64_t dr7 = cpu_read_dr7();

    (void)unused;
    for (unsigned i = 0; i < ARCH_WATCHES; i++)
        if (dr7 & DR7_GLOBAL(i))
            __atomic_fetch_add(&armed_somewhere, 1, __ATOMIC_RELAXED);
}

static uint64_t registers_armed(void)
{
    armed_somewhere = 0;
    on_all(look_at_dr7);
    return armed_somewhere;
}

static uint64_t hits_of_all(void)
{
    uint64_t sum = 0;

    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        sum += hits[cpu];
    return sum;
}

static void claim_breakpoints(void)
{
    struct refusal why;
    unsigned wrong = 0;

    memset(hits, 0, sizeof(hits));
    ktap_equal(registers_armed(), 0, "no register is armed on any CPU at first");
    ktap_ok(breakpoint_install(&on_watched, &why) == 0, "a breakpoint is set");
    ktap_equal(registers_armed(), cpus_running(), "... on every CPU, by its DR7");
    on_all(write_watched);
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        wrong += hits[cpu] != (arch_cpu_runs(cpu) ? 100 : 0);
    ktap_equal(wrong, 0, "... and each CPU hits as often as it writes");
    breakpoint_remove(&on_watched);
    ktap_equal(registers_armed(), 0, "removed, no register is armed on any CPU");
    on_all(write_watched);
    ktap_equal(hits_of_all(), 100ull * cpus_running(), "... and nobody hits");
}

/* --- A CPU that cannot be interrupted. --- */

static volatile unsigned stage;

static void await_stage(unsigned wanted)
{
    while (stage < wanted)
        arch_relax();
}

/* Spins with interrupts off until it is told to write, and then until it is told to end. */
static void spin_deaf(void *unused)
{
    uint64_t flags = arch_irq_save();

    (void)unused;
    stage = 1;
    await_stage(2);
    write_watched(NULL);
    stage = 3;
    await_stage(4);
    write_watched(NULL);
    arch_irq_restore(flags);
}

static void claim_deaf(void)
{
    struct refusal why;
    struct thread *deaf;

    stage = 0;
    memset(hits, 0, sizeof(hits));
    deaf = thread_create_on(1, "deaf", spin_deaf, NULL, &why);
    await_stage(1);
    ktap_ok(breakpoint_install(&on_watched, &why) == 0,
            "a breakpoint is set while a CPU spins with interrupts off");
    stage = 2;
    await_stage(3);
    ktap_equal(hits[1], 100, "... and hits there");
    breakpoint_remove(&on_watched);
    stage = 4;
    thread_join(deaf);
    ktap_equal(hits_of_all(), 100, "... until it is removed, while that goes on");
}

/* An NMI handler that does not return, so no other NMI is delivered. */
static void never_return(struct regs *regs)
{
    (void)regs;
    stage = 1;
    await_stage(2);
}

static void claim_rollback(void)
{
    struct refusal why;

    stage = 0;
    memset(hits, 0, sizeof(hits));
    trap_set_handler(VECTOR_NMI, never_return);
    apic_send_nmi(percpu[1].apic_id);
    await_stage(1);
    ktap_ok(breakpoint_install(&on_watched, &why) == -ETIMEDOUT,
            "where a CPU does not answer, a breakpoint is refused");
    ktap_ok(strcmp(why.text, "CPU 1 does not answer: nothing was changed") == 0, "... by name: %s",
            why.text);
    ktap_ok(breakpoint_used() == 0 && cpu_read_dr7() == DR7_OFF, "... and set on no other CPU");
    stage = 2;
    ktap_equal(registers_armed(), 0, "... nor on that one, when it goes on");
    trap_set_handler(VECTOR_NMI, NULL);
    ktap_ok(breakpoint_install(&on_watched, &why) == 0, "then it can be had");
    on_all(write_watched);
    ktap_equal(hits_of_all(), 100ull * cpus_running(), "... everywhere");
    breakpoint_remove(&on_watched);
}

/* --- Everything at once. --- */

static uint64_t installed, still[ARCH_CPUS_MAX];

/* Each CPU sets and removes its own breakpoint, writes to its place, and checks its hits. */
static void set_and_remove(void *cpu)
{
    static uint64_t places[ARCH_CPUS_MAX];
    uint64_t *place = &places[(uintptr_t)cpu];
    struct breakpoint own = {.address = (uintptr_t)place,
                             .length = 8,
                             .access = ARCH_WRITE,
                             .owner = "ktap-smp",
                             .hit = count_hit};
    struct refusal why;

    for (unsigned i = 0; i < 50; i++) {
        uint64_t before = hits[(uintptr_t)cpu];

        if (breakpoint_install(&own, &why) != 0)
            continue;
        *(volatile uint64_t *)place = i;
        breakpoint_remove(&own);
        *(volatile uint64_t *)place = i;
        still[(uintptr_t)cpu] += hits[(uintptr_t)cpu] != before + 1;
        __atomic_fetch_add(&installed, 1, __ATOMIC_RELAXED);
    }
}

static void claim_storm(void)
{
    uint64_t wrong = 0;

    installed = 0;
    memset(still, 0, sizeof(still));
    on_all(set_and_remove);
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        wrong += still[cpu];
    ktap_ok(installed > 0 && wrong == 0,
            "breakpoints, set and removed by all CPUs at once, hit once each (%lu)",
            (unsigned long)installed);
    ktap_equal(registers_armed(), 0, "... and none is left");
}

static void smp_claims(void)
{
    if (!ktap_ok(cpus_running() > 1, "there are CPUs: %u", cpus_running()))
        return;
    claim_nothing_is_inherited();
    claim_locks();
    claim_order();
    claim_breakpoints();
    claim_deaf();
    claim_rollback();
    claim_storm();
}

KTAP_SUITE(smp, "many CPUs: threads, locks, clock, breakpoints on all, parking");
