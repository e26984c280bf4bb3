/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs in user mode (docs/programs.md). A process has one thread, with the same number. The
 * table is static: a reader of a process that has just ended reads stale data, never another
 * object. Task context, interrupts on, unless stated otherwise.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lib/refusal.h"
#include "kernel/fs/ramfs.h"
#include "kernel/sched/thread.h"
#include "kernel/sched/wait_queue.h"
#include "kernel/sched/workqueue.h"
#include "kernel/x86_64/user.h"

struct program;

#define PROCESSES_MAX    64
#define PROCESS_MAPPINGS 32
#define PROCESS_FILES    16
#define PROCESS_ARGUMENT 1024 /* total bytes of all arguments, with NULs */

/* A contiguous mapping of whole pages. Two mappings never share a page. */
struct process_mapping {
    uintptr_t base;
    size_t size;
    uint64_t offset;       /* in the program's file; 0 for anonymous memory */
    enum arch_page access; /* ARCH_PAGE_EXECUTE: code */
    const char *name;      /* the program's path, or "[stack]", "//anon" */
};

/* How a process ended, for wait4. */
struct process_end {
    uint8_t signal; /* signal that killed it, in Linux's numbers; 0: it called exit */
    uint8_t code;   /* exit code */
};

enum process_state {
    PROCESS_FREE,   /* the slot is free */
    PROCESS_MAKING, /* not visible yet */
    PROCESS_LIVES,
    PROCESS_ENDED, /* not collected yet */
};

struct process {
    enum process_state state; /* written under the table's lock; read in any context */
    uint32_t pid;             /* its thread's pid; constant while the process is visible */
    uint32_t parent;          /* pid of the process to notify of its end, or PROCESS_PARENT_... */
    struct thread *thread;
    struct arch_space *space; /* constant from PROCESS_LIVES on; NULL after its end */
    char path[FS_PATH_MAX + 1];
    const struct program *program; /* its build ID and symbols, for perf; NULL: none */

    /*
     * Unordered. Changed by the process's own thread, which writes an entry before the count. Read
     * in any context on its CPU, and with all CPUs parked.
     */
    struct process_mapping mapping[PROCESS_MAPPINGS];
    unsigned mapping_count;

    bool may_run;            /* stored by its creator, after all listeners were notified */
    int file[PROCESS_FILES]; /* fs_open's result, or PROCESS_FILE_...; used by its own thread */
    uint8_t killed_by;       /* [A] signal that ends it before it returns to user mode; 0: none */
    uint8_t stopped_by;      /* [A] signal that stops it at the same place until this is 0 */
    struct process_end end;  /* valid from PROCESS_ENDED on */
    uintptr_t entry, stack;  /* its initial rip and rsp */
    struct work reaper;      /* frees it if no process will collect it */

    /*
     * Its system calls sleep in this queue, which is woken by everything that may end such a sleep.
     * The last member: those above are cleared for each new process, the queue is kept.
     */
    struct wait_queue events;
};

#define PROCESS_PARENT_CONSOLE 0
#define PROCESS_PARENT_NONE    UINT32_MAX       /* the parent has ended */
#define PROCESS_PARENT_JOB     (UINT32_MAX - 1) /* the console, which does not wait (&) */

#define PROCESS_FILE_NONE    (-1)
#define PROCESS_FILE_INPUT   (-2) /* standard input, which is always at its end */
#define PROCESS_FILE_CONSOLE (-3)

/* The process of this CPU's current thread; NULL for a kernel thread. Any context. */
static inline struct process *process_current(void)
{
    return thread_current()->process;
}

/*
 * Loads and starts the program at this path, as a child of `parent` (NULL: of the console). Returns
 * 0, or a negative errno and the reason.
 */
int process_spawn(const char *path, int argc, char *const *argv, const struct process *parent,
                  struct process **spawned, struct refusal *why);

/*
 * Creates the address space of a process that does not run yet: the file's segments, and a stack
 * with the arguments (System V ABI, "Process Initialization"). Returns 0, or a negative errno and
 * the reason; the caller then undoes it.
 */
int load_program(struct process *process, const char *path, int argc, char *const *argv,
                 struct refusal *why);

/*
 * Waits until a process of the console has ended, frees it, and returns how it ended. Called once
 * per process.
 */
struct process_end process_wait(struct process *process);
bool process_has_ended(const struct process *process);

/*
 * Detaches a process of the console: when it ends, a worker calls job_ended and frees it. Task
 * context.
 */
void process_detach(struct process *process);

/*
 * Sends a signal (Linux's numbers). A fatal signal ends the process's sleep at once, and the
 * process itself before it returns to user mode; a stopping signal holds the process before that
 * return until SIGCONT. Must not be called in hits or NMIs.
 */
void process_kill(struct process *process, uint8_t signal);

/*
 * Does the same by pid. Returns 0 or -ESRCH. Signal 0 only checks that the process exists. Task
 * context.
 */
int process_kill_pid(uint32_t pid, uint8_t signal);

/* Returns true while the process is stopped. Only its creator may call it, before process_wait. */
bool process_is_stopped(const struct process *process);

/* Makes the console check its condition again, if it waits for this process. Task context. */
void process_tell_console(const struct process *process);

_Noreturn void process_exit(struct process_end end);

/* Reports the exception of the current process, and ends the process. For arch_user_handlers. */
void process_fault(struct regs *regs);

/* Return the process in a slot, or with a pid; NULL if there is none. Any context. */
struct process *process_at(unsigned index);
struct process *process_find(uint32_t pid);

/*
 * Maps zeroed memory. Returns 0, -ENOMEM, or -EINVAL if PROCESS_MAPPINGS mappings exist already.
 * process_unmap removes a whole mapping. Called by the process's thread or its creator.
 */
int process_map(struct process *process, const struct process_mapping *mapping);
void process_unmap(struct process *process, unsigned index);

/*
 * Report to a recording: the mappings of one process, those of all processes (for host.tasks_tell),
 * and the end of a process. `lived`: the process existed before the recording.
 */
void process_tell_mappings(const struct process *process, bool lived);
void process_tell_all(void);
void process_tell_ended(const struct process *process);

/*
 * For wait4. Returns the pid of a child that has ended: the child `pid`, or any child if `pid` is
 * -1; 0 if none has ended yet; -ECHILD if there is no such child. process_collect frees a child
 * found this way, and may be called only by the thread that found it.
 */
int64_t process_find_ended(const struct process *parent, int64_t pid);
struct process_end process_collect(uint32_t pid);

/*
 * Puts the current process to sleep until `until_ns` (arch_clock_ns), a kill, or until `holds` (may
 * be NULL) is true when `events` is woken. Returns false if it was killed.
 */
bool process_sleep(uint64_t until_ns, bool (*holds)(void *data), void *data);

/* Called at boot: enables programs' system calls and exceptions. */
void process_init(void);

/*
 * Members of struct pitot_kernel: process, process_read, process_watchable, program_stop and
 * thread_step.
 */
struct pitot_program;
unsigned process_watch_of(unsigned cpu, unsigned long stack, const struct pitot_program **program);
int process_watch_read(unsigned cpu, unsigned long stack, unsigned long address, void *to,
                       unsigned long length);
int process_watch_refuse(const struct pitot_program *program, unsigned pid, unsigned long address,
                         unsigned long length, int execute, const char **why);
void process_watch_stop(void);
struct pitot_step *process_watch_step(void);

/*
 * Reports the end of a background program, which is still visible. Runs in a worker's task context.
 */
void job_ended(const struct process *process);

/*
 * --- Access to the current program's memory, for system calls, in the program's thread: -EFAULT if
 * the program may not read or write the address. ---
 */
int user_get(uintptr_t from, void *to, size_t length);
int user_put(uintptr_t to, const void *from, size_t length);

/*
 * Returns 0 if user_put would succeed, or if `to` is NULL: the program does not want that result.
 */
int user_can_put(uintptr_t to, size_t length);

/*
 * Reads a string with its NUL. Returns its length, or -ENAMETOOLONG if it does not fit in `size`.
 */
int64_t user_get_text(uintptr_t from, char *to, size_t size);

/*
 * Reads /bin again, for `run` and TAB. Returns the number of its files, of which program_path
 * returns the path of the index-th, sorted by name; NULL past the end. The console's thread only.
 */
size_t program_names_read(void);
const char *program_path(size_t index);

/* --- What signals do to a program: end, stop or continue it. There are no handlers. --- */

/*
 * Records a signal (Linux's numbers; 0 has no effect). The first fatal signal counts. The caller
 * then wakes the process's `events`, unless that is the current process. Any context, hits
 * included.
 */
void signal_mark(struct process *process, uint8_t signal);

/* Returns the signal that ends the process; 0: none. */
static inline uint8_t signal_ends(const struct process *process)
{
    return __atomic_load_n(&process->killed_by, __ATOMIC_ACQUIRE);
}

/* Returns the signal that stops the process; 0: none. */
static inline uint8_t signal_stops(const struct process *process)
{
    return __atomic_load_n(&process->stopped_by, __ATOMIC_ACQUIRE);
}

/*
 * Holds the current process, which is stopped, until it is continued or must end. Makes the console
 * check its condition if it waits for the process. Interrupts are off before and after, on in
 * between.
 */
void signal_stand(struct process *process);
