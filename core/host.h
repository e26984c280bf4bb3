/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What Pitot asks of the kernel that takes it in, its host, and what the host tells Pitot about the
 * threads that run. The host fills in a struct host and hands it over once, early in its boot.
 * Every function is optional: a feature whose function is missing is refused by name, and what
 * needs none of them (events, rings, call chains, the stream) works without a host. One function is
 * not: assert_failed of core/lib/assert.h, for a claim of Pitot's own that does not hold.
 *
 * "Any context" includes debug traps and NMIs: such a function takes no lock, allocates nothing and
 * cannot trap. Page tables, stacks, CPUs and their clock are asked of arch.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/cpu.h"
#include "core/lib/refusal.h"

#define TASK_NAME_SIZE 16  /* bytes, the NUL included */
#define HOST_PATH_SIZE 256 /* of a program's file, the NUL included */
#define TASK_PID       1u  /* the thread that runs what is typed at the console */

/* A file that programs are started from. It stays for ever: samples outlive processes. */
struct symbol_table;
struct host_program {
    const char *path;                   /* shorter than HOST_PATH_SIZE */
    const uint8_t *build_id;            /* 20 bytes; NULL: it has none */
    const struct symbol_table *symbols; /* of no entries if it has none */
    unsigned number;                    /* from 0, in the order in which they became known */
};

enum host_task { HOST_TASK_NONE, HOST_TASK_OF_KERNEL, HOST_TASK_OF_PROGRAM };

/* Which threads `perf record -- COMMAND` follows. */
enum host_follow {
    HOST_FOLLOW_END,       /* none any more, those of earlier commands included */
    HOST_FOLLOW_FROM_EXEC, /* the current one, once it executes a program's first instruction */
    HOST_FOLLOW,           /* the current one and those that it makes from here on */
};

/* What Pitot's own threads wait for. */
enum host_channel { HOST_RECORDS, HOST_STREAM_ENDS, HOST_INTERVAL, HOST_CHANNELS };

enum host_interrupt { HOST_INTERRUPT_ASK, HOST_INTERRUPT_TAKE, HOST_INTERRUPT_AWAIT };
enum host_power { HOST_POWER_OFF, HOST_POWER_RESET };

struct host {
    /*
     * Zeroed memory of at least so many bytes, aligned to a page. NULL, and in `why` how much there
     * is. Task context; perf record, perf report.
     */
    void *(*memory_take)(size_t bytes, struct refusal *why);
    void (*memory_give)(void *memory, size_t bytes);

    /* The name of the thread that runs on that CPU; NULL: none does yet. Any context. */
    const char *(*task_name)(unsigned cpu);
    /* Renames the current thread after the command that it runs; NULL: as before. Task context. */
    void (*task_rename)(const char *name);
    enum host_task (*task_find)(uint32_t pid);
    /*
     * Tells of every thread there is, and of what its program has mapped, by the functions of
     * core/recording/tasks.h with `lived` true. Task context; names and maps in recordings.
     */
    void (*tasks_tell)(void);
    /*
     * From here on the host says of these threads, at each switch, that they are followed
     * (core/event/follow.h). HOST_FOLLOW_END is called with all other CPUs parked.
     */
    void (*follow)(enum host_follow which);

    /*
     * A thread that runs that function, which never returns. It has had its first turn when this
     * returns. 0 and its pid, or a negative errno and the reason. Task context; the stream while a
     * recording runs, and perf stat -I.
     */
    int (*thread_start)(const char *name, void (*run)(void *unused), uint32_t *pid,
                        struct refusal *why);
    /*
     * Sleeps until `until` is true. It is asked by the thread that waits, again after each `wake`
     * of that channel, and no wake between its answer and the sleep is lost. Task context.
     */
    void (*wait)(enum host_channel channel, bool (*until)(void));
    void (*wake)(enum host_channel channel); /* task and interrupt context */

    /* The program in that file; NULL and the reason. Task context. Events in programs. */
    const struct host_program *(*program_load)(const char *path, struct refusal *why);

    /*
     * Whether ^C was typed since the command line began; takes that ^C, as ASK does not; sleeps
     * until there is one. Task context; ASK in any.
     */
    bool (*interrupted)(enum host_interrupt how);
    /* Returns only if the machine did not obey. Any context; gdb's kill and restart. */
    void (*power)(enum host_power state);
};

/* Written by host_set alone. */
extern struct host host;

/* Boot, once, before anything else of Pitot's is called. */
void host_set(const struct host *with);

/* --- What the host tells at each switch of threads. --- */

/*
 * pid and tid of the thread that runs on each CPU, as a sample's TID field has them. Stored by that
 * CPU's task_set_ids alone; read in any context.
 */
extern uint64_t task_ids[ARCH_CPUS_MAX];

#define TASK_IDS_NONE UINT64_MAX /* no thread's; those of pid 0 are 0 */

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

/* The name of the thread that runs here; "" where the host gives none. Any context. */
static inline const char *task_name(void)
{
    const char *name = host.task_name ? host.task_name(arch_cpu_id()) : NULL;

    return name ? name : "";
}

/* The CPU that calls runs that thread from here on. Preemption off. */
static inline void task_set_ids(uint32_t pid)
{
    task_ids[arch_cpu_id()] = task_ids_of(pid);
}

/*
 * How often preemption was turned off on each CPU, and whether a switch was put off meanwhile: what
 * a tracepoint's record says of both. Stored by the host alone, on that CPU.
 */
struct preemption {
    /*
     * Changed by its CPU alone: an interrupt in the middle of a change leaves it as it found it,
     * and a switch happens at one value only.
     */
    uint32_t off;
    bool wanted; /* set under the lock of the CPU's scheduler, or there */
};

extern struct preemption preemption[ARCH_CPUS_MAX];
