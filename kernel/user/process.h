/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs that run in user mode. docs/programs.md has the design. A process has one thread, whose
 * number is its own: pid and tid of its samples are the same. Its structure is one of a table that
 * is there for ever, so a reader of one that has just ended reads something old, not something
 * foreign. Task context with interrupts on, unless said otherwise.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/space.h"
#include "core/lib/refusal.h"
#include "kernel/fs/ramfs.h"
#include "kernel/sched/thread.h"
#include "kernel/sched/wait_queue.h"
#include "kernel/sched/workqueue.h"

struct program;

#define PROCESSES_MAX    64
#define PROCESS_MAPPINGS 32
#define PROCESS_FILES    16
#define PROCESS_ARGUMENT 1024 /* bytes of all arguments, NULs included */

/* What is mapped in one piece, from page to page. Never two in one page. */
struct process_mapping {
    uintptr_t base;
    size_t size;
    uint64_t offset;       /* in the program's file; 0 for memory that comes from none */
    enum arch_page access; /* ARCH_PAGE_EXECUTE: code */
    const char *name;      /* the program's path, or "[stack]", "//anon" */
};

/* How it ended: as wait4 tells it. */
struct process_end {
    uint8_t signal; /* that it was killed by, in Linux's numbers; 0: it called exit */
    uint8_t code;   /* of exit */
};

enum process_state {
    PROCESS_FREE,   /* the slot is free */
    PROCESS_MAKING, /* not yet to be seen */
    PROCESS_LIVES,
    PROCESS_ENDED, /* waits to be asked how */
};

struct process {
    enum process_state state; /* under the table's lock; read in any context */
    uint32_t pid;             /* its thread's: constant while it is to be seen */
    uint32_t parent; /* pid of the process that is told of its end, or PROCESS_PARENT_... */
    struct thread *thread;
    struct arch_space *space; /* constant from PROCESS_LIVES on, NULL at its end */
    char path[FS_PATH_MAX + 1];
    const struct program *program; /* what perf knows of it; NULL: nothing */

    /*
     * In no order. Changed by its own thread alone: the entry first, then the count; read in any
     * context on its CPU, and on others with all CPUs parked.
     */
    struct process_mapping mapping[PROCESS_MAPPINGS];
    unsigned mapping_count;

    bool may_run;            /* stored by its maker: all listeners have heard of it */
    int file[PROCESS_FILES]; /* its own thread's: what fs_open gave, or PROCESS_FILE_... */
    uint8_t killed_by;       /* [A] a signal: it ends before it returns to user mode */
    uint8_t stopped_by;      /* [A] a signal: it stands still there until it is 0 */
    struct process_end end;  /* from PROCESS_ENDED on */
    uintptr_t entry, stack;  /* its first rip and rsp */
    struct work reaper;      /* frees it if no process will ask how it ended */

    /*
     * Where its system calls sleep: all that may end one wakes this. It is the slot's and outlives
     * each process in it: the last member, as what is above it begins anew with each.
     */
    struct wait_queue events;
};

#define PROCESS_PARENT_CONSOLE 0
#define PROCESS_PARENT_NONE    UINT32_MAX       /* it has ended before */
#define PROCESS_PARENT_JOB     (UINT32_MAX - 1) /* the console, which does not wait for it */

#define PROCESS_FILE_NONE    (-1)
#define PROCESS_FILE_INPUT   (-2) /* nothing comes from there: always at its end */
#define PROCESS_FILE_CONSOLE (-3)

/*
 * The process of the thread that runs on this CPU; NULL for one of the kernel's own. Any context.
 */
static inline struct process *process_current(void)
{
    return thread_current()->process;
}

/*
 * Loads the program at this path and starts it, as a child of `parent` (NULL: of the console). 0;
 * or a negative errno and the reason: no such file, not a program, too many, no memory, a CPU
 * that runs none.
 */
int process_spawn(const char *path, int argc, char *const *argv, const struct process *parent,
                  struct process **spawned, struct refusal *why);

/* Waits for its end, says how it was, and frees it. Once for each that the console started. */
struct process_end process_wait(struct process *process);
bool process_has_ended(const struct process *process);

/*
 * The console will not wait for this one, which it started: the worker frees it when it has ended,
 * and calls the second, where it can still be looked at. Task context.
 */
void process_detach(struct process *process);
void process_set_job_ended(void (*told)(const struct process *process));

/*
 * Called in task context when one that the console started has ended or is stopped; of one that was
 * detached, when it is no more to be seen. Boot.
 */
void process_set_console_hook(void (*ended)(void));

/*
 * It ends by this signal (Linux's numbers) as soon as it would return to user mode, and sleeps no
 * more until then. Those that stop it let it stand still in that place, or in its sleep, until
 * SIGCONT or its end. Any context but hits and NMIs.
 */
void process_kill(struct process *process, uint8_t signal);

/*
 * The same for the process with that pid; 0: only tells whether there is one. 0, or -ESRCH. Task
 * context.
 */
int process_kill_pid(uint32_t pid, uint8_t signal);

/*
 * Whether it stands still, stopped, and will not run before a signal lets it. The caller has made
 * it, and has not waited for it.
 */
bool process_is_stopped(const struct process *process);

/* The console looks again at what it waits for, if it waits for this one. Task context. */
void process_tell_console(const struct process *process);

/* Ends the current process. */
_Noreturn void process_exit(struct process_end end);

/* The index-th slot's process, NULL where none lives there; that one's which has the pid. Any. */
struct process *process_at(unsigned index);
struct process *process_find(uint32_t pid);

/*
 * Maps memory for it, all zero; the caller is its thread, or makes it. 0; -ENOMEM, or -EINVAL where
 * there are PROCESS_MAPPINGS already. Undone whole by the second.
 */
int process_map(struct process *process, const struct process_mapping *mapping);
void process_unmap(struct process *process, unsigned index);

/*
 * For wait4: the pid of a child that has ended, among those of this pid, or all for -1; 0 if none
 * has ended yet, -ECHILD if there is none. The second, for a pid that the first has returned to the
 * only thread that may, frees it.
 */
int64_t process_find_ended(const struct process *parent, int64_t pid);
struct process_end process_collect(uint32_t pid);

/*
 * The current process sleeps until then (arch_clock_ns), or until it is killed, or, where `holds`
 * is not NULL, that is true, which `events` is woken for. False: it is killed.
 */
bool process_sleep(uint64_t until_ns, bool (*holds)(void *data), void *data);

/* Takes user mode's exceptions and system calls. Boot. */
void process_init(void);
