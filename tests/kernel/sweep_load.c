/* SPDX-License-Identifier: BSD-2-Clause */
/* See sweep_load.h. Each counter has one writer: the thread, or the CPU's interrupts. */
#include "tests/kernel/sweep_load.h"

#include "arch/x86_64/entry/trap.h"
#include "core/lib/print.h"
#include "core/lib/string.h"
#include "kernel/fs/stress.h"
#include "kernel/lock/kernel_lock.h"
#include "kernel/memory/pages.h"
#include "kernel/panic/panic.h"
#include "kernel/sched/thread.h"
#include "kernel/sched/wait_queue.h"
#include "kernel/sched/workqueue.h"
#include "kernel/time/ticks.h"
#include "kernel/time/timer.h"
#include "kernel/x86_64/cpu/apic.h"
#include "kernel/x86_64/cpu/percpu.h"

#define VECTOR_SWEEP   0xe0
#define PATIENCE_TICKS (30 * TICKS_A_SECOND)
#define PATIENCE_LOOKS 30000000 /* polls, if the boot CPU has no ticks */
#define BEAT_NS        10000000ull
#define ORDERS         4

static const char *const part_names[LOAD_PARTS] = {"files", "memory", "time"};

static struct thread *threads[ARCH_CPUS_MAX][LOAD_PARTS];
static struct sweep_marks now;           /* each field written by its thread or its CPU */
static uint64_t answered[ARCH_CPUS_MAX]; /* [owning CPU] */
static uint64_t sent[ARCH_CPUS_MAX];     /* written by the boot thread */
static bool ending;                      /* written by any CPU, atomically */
static const char *fault;                /* the last error found */
static struct stress root;               /* the boot thread's, for the directories */

static bool load_goes_on(void)
{
    arch_relax(); /* emulated CPUs take turns here */
    return !__atomic_load_n(&ending, __ATOMIC_RELAXED);
}

/* Each thread has its own clients (kernel/fs/stress.h), enough for one each on 4 CPUs. */
static void load_files(void *data)
{
    static struct stress stresses[ARCH_CPUS_MAX];
    unsigned cpu = (unsigned)(uintptr_t)data;
    struct stress *stress = &stresses[cpu];
    unsigned client = cpu % STRESS_CLIENTS;

    stress_init(stress, "sweep", STRESS_ROOT, cpu + 1);
    stress->rounds = UINT64_MAX;
    while (load_goes_on()) {
        if (cpu < STRESS_CLIENTS && stress_clients[client](stress) != 0)
            fault = "a file is not what was written";
        stress->round++;
        local_increment(&now.operations[cpu][0]);
    }
}

static void load_nothing(void *unused)
{
    (void)unused;
}

static void load_birth(unsigned cpu)
{
    struct refusal why;
    struct thread *thread = thread_create_on(cpu, "short", load_nothing, NULL, &why);

    if (thread)
        thread_join(thread);
    else
        fault = "no thread can be made";
}

static void load_memory(void *data)
{
    unsigned cpu = (unsigned)(uintptr_t)data;
    void *block[ORDERS];

    while (load_goes_on()) {
        for (unsigned order = 0; order < ORDERS; order++)
            block[order] = pages_alloc(order);
        lock_kernel();
        thread_yield();
        unlock_kernel();
        for (unsigned order = 0; order < ORDERS; order++)
            if (block[order])
                pages_free(block[order], order);
        load_birth(cpu);
        local_increment(&now.operations[cpu][1]);
    }
}

/* The timer queues work, the worker wakes this thread. */
struct beat {
    struct timer timer;
    struct work work;
    struct wait_queue arrivals;
    uint64_t arrived; /* protected by the lock of `arrivals` */
    unsigned cpu;
};

static void beat_arrive(struct work *work)
{
    struct beat *beat = work->data;
    uint64_t flags = wait_queue_lock(&beat->arrivals);

    beat->arrived++;
    wait_queue_wake_all_locked(&beat->arrivals);
    wait_queue_unlock(&beat->arrivals, flags);
}

static void beat_tick(void *data)
{
    struct beat *beat = data;

    local_increment(&now.ticks[beat->cpu]);
    work_queue(&beat->work);
}

static void load_time(void *data)
{
    static struct beat beats[ARCH_CPUS_MAX];
    unsigned cpu = (unsigned)(uintptr_t)data;
    struct beat *beat = &beats[cpu];

    *beat = (struct beat){.timer = {.function = beat_tick, .data = beat},
                          .work = {.function = beat_arrive, .data = beat},
                          .arrivals = WAIT_QUEUE("beat"),
                          .cpu = cpu};
    timer_start(&beat->timer, 0, BEAT_NS);
    while (load_goes_on()) {
        uint64_t flags = wait_queue_lock(&beat->arrivals);

        for (uint64_t seen = beat->arrived; beat->arrived == seen;)
            flags = wait_queue_sleep(&beat->arrivals, flags);
        wait_queue_unlock(&beat->arrivals, flags);
        local_increment(&now.operations[cpu][2]);
    }
    timer_cancel(&beat->timer);
    work_flush();
}

static void answer(struct regs *regs)
{
    (void)regs;
    local_increment(&answered[arch_cpu_id()]);
    apic_end();
}

void sweep_load_start(void)
{
    static void (*const parts[LOAD_PARTS])(void *) = {load_files, load_memory, load_time};
    struct refusal why;

    stress_init(&root, "sweep", STRESS_ROOT, 1);
    memset(&now, 0, sizeof(now));
    memset(sent, 0, sizeof(sent));
    memset(answered, 0, sizeof(answered));
    ending = false;
    fault = step_mkdir(&root, STRESS_ROOT) == 0 && stress_prepare(&root) == 0
                ? NULL
                : "the load's directories cannot be made";
    trap_set_handler(VECTOR_SWEEP, answer);
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        for (unsigned part = 0; part < LOAD_PARTS && arch_cpu_runs(cpu); part++) {
            threads[cpu][part] =
                thread_create_on(cpu, part_names[part], parts[part], (void *)(uintptr_t)cpu, &why);
            if (!threads[cpu][part])
                panic("%s", why.text);
        }
}

const char *sweep_load_stop(void)
{
    __atomic_store_n(&ending, true, __ATOMIC_RELAXED);
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        for (unsigned part = 0; part < LOAD_PARTS && arch_cpu_runs(cpu); part++)
            thread_join(threads[cpu][part]);
    trap_set_handler(VECTOR_SWEEP, NULL);
    print_into(root.path, sizeof(root.path), STRESS_ROOT);
    if (stress_remove_tree(&root) != 0)
        return "the load's files cannot be removed";
    return fault;
}

void sweep_marks_take(struct sweep_marks *marks)
{
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++) {
        for (unsigned part = 0; part < LOAD_PARTS; part++)
            marks->operations[cpu][part] = local_load(&now.operations[cpu][part]);
        marks->ticks[cpu] = local_load(&now.ticks[cpu]);
    }
}

static const char *cpu_lags(unsigned cpu, const struct sweep_marks *since)
{
    for (unsigned part = 0; part < LOAD_PARTS; part++)
        if (local_load(&now.operations[cpu][part]) == since->operations[cpu][part])
            return part_names[part];
    if (local_load(&now.ticks[cpu]) == since->ticks[cpu])
        return "timer";
    if (local_load(&answered[cpu]) != sent[cpu])
        return "answer to an interrupt";
    return NULL;
}

static const char *who_lags(const struct sweep_marks *since)
{
    static char text[80];

    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++) {
        const char *what = arch_cpu_runs(cpu) ? cpu_lags(cpu, since) : NULL;

        if (what) {
            print_into(text, sizeof(text), "CPU %u: no progress of its %s", cpu, what);
            return text;
        }
    }
    return NULL;
}

/*
 * The limit is in ticks that the boot CPU serves, not in time, which passes while a host does not
 * run its emulator.
 */
const char *sweep_load_await(const struct sweep_marks *since)
{
    uint64_t until = ticks + PATIENCE_TICKS;
    const char *who;

    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        if (arch_cpu_runs(cpu)) {
            sent[cpu]++;
            apic_send(percpu[cpu].apic_id, VECTOR_SWEEP);
        }
    for (unsigned looks = 0; (who = who_lags(since)) && ticks < until; looks++) {
        if (looks == PATIENCE_LOOKS)
            break;
        thread_yield();
        arch_relax();
    }
    return who;
}

struct sweep_pokes sweep_pokes(void)
{
    struct sweep_pokes pokes = {0, 0};

    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++) {
        pokes.sent += sent[cpu];
        pokes.answered += local_load(&answered[cpu]);
    }
    return pokes;
}
