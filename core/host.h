/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What Pitot needs from the kernel that contains it, its host, and what the host tells Pitot about
 * running threads. The host fills in a struct host and passes it once, early in its boot. Every
 * function is optional: a feature whose function is missing is refused by name, and features that
 * need none (events, rings, call chains, the stream) work without a host. Only assert_failed
 * (core/lib/assert.h) is required, for an invariant of Pitot that is broken.
 *
 * "Any context" includes debug traps and NMIs: such a function takes no lock, allocates nothing and
 * cannot trap. Page tables, stacks, CPUs and their clock belong to arch.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/cpu.h"
#include "core/lib/refusal.h"

#define TASK_NAME_SIZE 16        /* bytes, including the NUL */
#define HOST_IDLE_NAME "swapper" /* perf's own for task 0 */
#define HOST_PATH_SIZE 256       /* of a program's file, including the NUL */
#define TASK_PID       1u        /* the thread that runs the console's commands */

/*
 * A file from which programs are started. Its memory must stay for ever, as samples outlive
 * processes.
 */
struct symbol_table;
struct host_program {
    const char *path;                   /* shorter than HOST_PATH_SIZE */
    const uint8_t *build_id;            /* 20 bytes; NULL: it has none */
    const struct symbol_table *symbols; /* without entries if it has no symbols */
    unsigned number;                    /* from 0, in the order in which they became known */
};

enum host_task { HOST_TASK_NONE, HOST_TASK_OF_KERNEL, HOST_TASK_OF_PROGRAM };

/* Which threads `perf record -- COMMAND` follows. */
enum host_follow {
    HOST_FOLLOW_END,       /* no thread any more, including those of earlier commands */
    HOST_FOLLOW_FROM_EXEC, /* the current thread, when it runs the first instruction of a program */
    HOST_FOLLOW,           /* the current thread, and those that it makes from here on */
};

/* What Pitot's own threads wait for. */
enum host_channel { HOST_RECORDS, HOST_STREAM_ENDS, HOST_INTERVAL, HOST_CHANNELS };

enum host_interrupt { HOST_INTERRUPT_ASK, HOST_INTERRUPT_TAKE, HOST_INTERRUPT_AWAIT };
enum host_power { HOST_POWER_OFF, HOST_POWER_RESET };

struct host {
    /*
     * Zeroed memory of at least `bytes` bytes, aligned to a page. NULL, and how much there is in
     * `why`. Task context; needed by perf record and perf report.
     */
    void *(*memory_take)(size_t bytes, struct refusal *why);
    void (*memory_give)(void *memory, size_t bytes);
    /*
     * Memory that a reset leaves as it was, at the same place in each boot, aligned to a page, and
     * Pitot's alone; the host then does not clear variables that are ARCH_KEPT (arch/memory.h)
     * either. NULL: there is none. Any context; perf report --last-boot.
     */
    void *(*memory_kept)(size_t *bytes);

    /* The name of the thread that runs on that CPU; NULL: no thread runs there yet. Any context. */
    const char *(*task_name)(unsigned cpu);
    /*
     * Renames the current thread after the command that it runs; NULL: restores its name. Task
     * context.
     */
    void (*task_rename)(const char *name);
    enum host_task (*task_find)(uint32_t pid);
    /*
     * Reports every existing thread, and what its program has mapped, by the functions of
     * core/recording/tasks.h with `lived` true; idle threads by the number 0 and HOST_IDLE_NAME.
     * Task context; needed for names and maps in recordings.
     */
    void (*tasks_tell)(void);
    /*
     * From here on, the host tells at each switch that these threads are followed
     * (core/event/follow.h). HOST_FOLLOW_END is called with all other CPUs parked.
     */
    void (*follow)(enum host_follow which);

    /*
     * Starts a thread that runs `run`, which never returns. The thread has already slept once when
     * this returns. Returns 0 and its pid, or a negative errno and the reason. Task context; needed
     * by the stream while a recording runs, and by perf stat -I.
     */
    int (*thread_start)(const char *name, void (*run)(void *unused), uint32_t *pid,
                        struct refusal *why);
    /*
     * Sleeps until `until` returns true. The waiting thread calls it, again after each `wake` of
     * that channel; a wake between its answer and the sleep must not be lost. Task context.
     */
    void (*wait)(enum host_channel channel, bool (*until)(void));
    void (*wake)(enum host_channel channel); /* task and interrupt context */

    /*
     * The program in that file; NULL and the reason. Task context; needed for events in programs.
     */
    const struct host_program *(*program_load)(const char *path, struct refusal *why);

    /*
     * By `how`: tells whether ^C was typed since the command line began; the same, and takes that
     * ^C; or sleeps until ^C is typed. Task context; ASK in any context.
     */
    bool (*interrupted)(enum host_interrupt how);
    /*
     * Turns the machine off or restarts it; returns only if that failed. Any context; needed by
     * gdb's kill and restart.
     */
    void (*power)(enum host_power state);
};

/* Written only by host_set. */
extern struct host host;

/* Called once at boot, before any other function of Pitot. */
void host_set(const struct host *with);

/* --- What the host tells at each switch of threads. --- */

/*
 * pid and tid of the thread that runs on each CPU, in the form of a sample's TID field. Stored only
 * by task_set_ids on that CPU; read in any context.
 */
extern uint64_t task_ids[ARCH_CPUS_MAX];

#define TASK_IDS_NONE UINT64_MAX /* belongs to no thread; the ids of pid 0 are 0 */

static inline uint64_t task_ids_of(uint32_t pid)
{
    return (uint64_t)pid << 32 | pid;
}

static inline uint64_t task_current_ids(void)
{
    return task_ids[arch_cpu_id()];
}

static inline uint32_t task_current_pid(void)
{
    return (uint32_t)task_current_ids();
}

/* The name of the thread that runs on this CPU; "" if the host gives none. Any context. */
static inline const char *task_name(void)
{
    const char *name = host.task_name ? host.task_name(arch_cpu_id()) : NULL;

    return name ? name : "";
}

/* From here on, this CPU runs that thread. Preemption off. */
static inline void task_set_ids(uint32_t pid)
{
    task_ids[arch_cpu_id()] = task_ids_of(pid);
}

/*
 * How often preemption has been turned off on each CPU, and whether a switch has been delayed
 * meanwhile: a tracepoint's record contains both. Stored only by the host, on that CPU.
 */
struct preemption {
    /*
     * Changed only by its CPU. An interrupt in the middle of a change leaves it as it found it, and
     * a switch happens only at one value.
     */
    uint32_t off;
    bool wanted; /* set under the lock of the CPU's scheduler, or on that CPU */
};

extern struct preemption preemption[ARCH_CPUS_MAX];
