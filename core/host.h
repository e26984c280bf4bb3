/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The interface between Pitot and its host, the kernel that contains it: the services that Pitot
 * needs, and what the host reports about threads. The host passes a struct host once, early in its
 * boot. All functions are optional: a feature without its function is refused by name; events,
 * rings, call chains and the stream need none. Only assert_failed (core/lib/assert.h) is required.
 *
 * "Any context" includes debug traps and NMIs: such a function takes no lock, allocates nothing and
 * cannot trap.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/cpu.h"
#include "core/lib/refusal.h"

#define TASK_NAME_SIZE 16        /* bytes, including the NUL */
#define HOST_IDLE_NAME "swapper" /* perf's name for task 0 */
#define HOST_PATH_SIZE 256       /* path of a program's file, including the NUL */
#define TASK_PID       1u        /* the thread that runs the console's commands */

/* A program's file. Its memory is never freed, because samples outlive processes. */
struct symbol_table;
struct host_program {
    const char *path;                   /* shorter than HOST_PATH_SIZE */
    const uint8_t *build_id;            /* 20 bytes; NULL if the file has none */
    const struct symbol_table *symbols; /* empty if the file has no symbols */
    unsigned number;                    /* from 0, in order of discovery */
};

enum host_task { HOST_TASK_NONE, HOST_TASK_OF_KERNEL, HOST_TASK_OF_PROGRAM };

/* Which threads `perf record -- COMMAND` follows. */
enum host_follow {
    HOST_FOLLOW_END,       /* no thread any more: the command has ended */
    HOST_FOLLOW_FROM_EXEC, /* the current thread, once it runs a program's first instruction */
    HOST_FOLLOW,           /* the current thread, and threads it creates from now on */
};

/* Events that Pitot's threads wait for. */
enum host_channel { HOST_RECORDS, HOST_STREAM_ENDS, HOST_INTERVAL, HOST_CHANNELS };

enum host_interrupt { HOST_INTERRUPT_ASK, HOST_INTERRUPT_TAKE, HOST_INTERRUPT_AWAIT };
enum host_power { HOST_POWER_OFF, HOST_POWER_RESET };

struct host {
    /*
     * Returns at least `bytes` bytes of zeroed, page-aligned memory; or NULL, and stores in `why`
     * how much is available. Task context; needed by perf record and perf report.
     */
    void *(*memory_take)(size_t bytes, struct refusal *why);
    void (*memory_give)(void *memory, size_t bytes);
    /*
     * Returns page-aligned memory that has the same address in each boot, survives a reset and is
     * used by Pitot alone; or NULL. ARCH_KEPT variables (arch/memory.h) must survive too. Any
     * context; needed by perf report --last-boot.
     */
    void *(*memory_kept)(size_t *bytes);

    /* Returns the name of the thread running on `cpu`; NULL if none runs there yet. Any context. */
    const char *(*task_name)(unsigned cpu);
    /* Names the current thread after its command; NULL restores its own name. Task context. */
    void (*task_rename)(const char *name);
    enum host_task (*task_find)(uint32_t pid);
    /*
     * Reports each thread and its program's mappings, through core/recording/tasks.h with `lived`
     * true; idle threads have the number 0 and HOST_IDLE_NAME. Task context; needed for names in
     * recordings.
     */
    void (*tasks_tell)(void);
    /*
     * From now on, the host reports at each switch whether the next thread is one of these
     * (core/event/follow.h). HOST_FOLLOW_END is called with all other CPUs parked.
     */
    void (*follow)(enum host_follow which);

    /*
     * Starts a thread that runs `run`, which never returns, and waits until the thread has slept
     * once. Returns 0 and its pid, or a negative errno and the reason. Task context; needed by
     * perf stat -I, and by the stream while a recording runs.
     */
    int (*thread_start)(const char *name, void (*run)(void *unused), uint32_t *pid,
                        struct refusal *why);
    /*
     * Sleeps until `until`, called first and after each `wake` of the channel, returns true. A wake
     * between that call and the sleep is not lost. Task context.
     */
    void (*wait)(enum host_channel channel, bool (*until)(void));
    void (*wake)(enum host_channel channel); /* task or interrupt context */

    /* Returns the file's program, or NULL and the reason. Task context; for events in programs. */
    const struct host_program *(*program_load)(const char *path, struct refusal *why);

    /*
     * ASK: returns true if ^C was typed since the command line began; any context. TAKE: the same,
     * and consumes that ^C. AWAIT: sleeps until ^C is typed. TAKE and AWAIT: task context.
     */
    bool (*interrupted)(enum host_interrupt how);
    /* Turns off or restarts the machine; returns on failure. Any context; for gdb's kill. */
    void (*power)(enum host_power state);
};

/* Written only by host_set. */
extern struct host host;

/* Called once at boot, before any other function of Pitot. */
void host_set(const struct host *with);

/* --- Reported by the host at each thread switch. --- */

/* pid and tid of each CPU's thread, as in a sample's TID. Stored by task_set_ids on that CPU. */
extern uint64_t task_ids[ARCH_CPUS_MAX];

#define TASK_IDS_NONE UINT64_MAX /* no thread; the ids of pid 0 are 0 */

static inline uint64_t task_ids_of(uint32_t pid)
{
    return (uint64_t)pid << 32 | pid;
}

static inline uint64_t task_current_ids(void)
{
    return task_ids[arch_cpu_id()];
}

/* Returns the name of the thread on this CPU; "" if the host gives none. Any context. */
static inline const char *task_name(void)
{
    const char *name = host.task_name ? host.task_name(arch_cpu_id()) : NULL;

    return name ? name : "";
}

/* Reports that this CPU now runs thread `pid`. Preemption off. */
static inline void task_set_ids(uint32_t pid)
{
    task_ids[arch_cpu_id()] = task_ids_of(pid);
}

/* Preemption-disable depth, and whether a switch is pending. Stored by the host, on that CPU. */
struct preemption {
    /* No atomics: an interrupt restores the value, and every switch occurs at the same value. */
    uint32_t off;
    bool wanted; /* set under the lock of the CPU's scheduler, or on that CPU */
};

extern struct preemption preemption[ARCH_CPUS_MAX];
