/* SPDX-License-Identifier: BSD-2-Clause */
/* The process table; starts and ends processes. Slots never move, so any context may read them. */
#include "kernel/user/process.h"

#include "core/lib/assert.h"
#include "core/lib/print.h"
#include "core/lib/string.h"
#include "core/pitot.h"
#include "kernel/console/input.h"
#include "kernel/hit/program.h"
#include "kernel/syscall/syscalls.h"
#include "kernel/x86_64/user.h"

static struct process processes[PROCESSES_MAX];
static struct spinlock table = {.name = "processes"}; /* protects states and parents */

static struct wait_queue ends = WAIT_QUEUE("program_end");

static bool is_visible(const struct process *process)
{
    enum process_state state = __atomic_load_n(&process->state, __ATOMIC_ACQUIRE);

    return state == PROCESS_LIVES || state == PROCESS_ENDED;
}

struct process *process_at(unsigned index)
{
    return index < PROCESSES_MAX && is_visible(&processes[index]) ? &processes[index] : NULL;
}

struct process *process_find(uint32_t pid)
{
    for (unsigned i = 0; i < PROCESSES_MAX; i++)
        if (is_visible(&processes[i]) && processes[i].pid == pid)
            return &processes[i];
    return NULL;
}

static void set_state(struct process *process, enum process_state state)
{
    __atomic_store_n(&process->state, state, __ATOMIC_RELEASE);
}

/* --- Start ------------------------------------------------------------------------------------ */

/*
 * Clears a slot except `events`: a thread that found the slot's previous process may still use it.
 */
static void clear(struct process *process)
{
    memset(process, 0, offsetof(struct process, events));
    process->events.name = process->events.lock.name = "events";
    for (unsigned i = 3; i < PROCESS_FILES; i++)
        process->file[i] = PROCESS_FILE_NONE;
    process->file[0] = PROCESS_FILE_INPUT;
    process->file[1] = process->file[2] = PROCESS_FILE_CONSOLE;
}

static struct process *claim(const struct process *parent)
{
    struct process *process = NULL;
    uint64_t flags = spinlock_acquire_irq(&table);

    for (unsigned i = 0; i < PROCESSES_MAX && !process; i++)
        if (processes[i].state == PROCESS_FREE)
            process = &processes[i];
    if (process) {
        clear(process);
        process->parent = parent ? parent->pid : PROCESS_PARENT_CONSOLE;
        set_state(process, PROCESS_MAKING);
    }
    spinlock_release_irq(&table, flags);
    return process;
}

/*
 * A process's thread starts here, and waits until all listeners know of the process. The CPU may
 * have switched to the thread before it belonged to a process, so the thread itself now does what a
 * switch to a process's thread does.
 */
static void process_main(void *data)
{
    struct process *process = data;
    uint64_t flags = wait_queue_lock(&process->events);

    while (!__atomic_load_n(&process->may_run, __ATOMIC_ACQUIRE))
        flags = wait_queue_sleep(&process->events, flags);
    wait_queue_unlock(&process->events, flags);
    arch_irq_save();
    thread_follow_exec();
    pitot_program_runs();
    arch_space_enter(process->space, process->thread->stack);
    arch_user_begin(process->entry, process->stack);
}

static const char *base_name(const char *path)
{
    const char *base = path;

    for (; *path != '\0'; path++)
        if (path[0] == '/' && path[1] != '/' && path[1] != '\0')
            base = path + 1;
    return base;
}

static void publish(struct process *process, struct thread *thread)
{
    process->thread = thread;
    process->pid = thread->pid;
    thread->process = process;
    thread->space = process->space;
    set_state(process, PROCESS_LIVES);
    process_tell_mappings(process, false);
}

static void unmake(struct process *process)
{
    if (process->space)
        arch_space_destroy(process->space);
    set_state(process, PROCESS_FREE);
}

/* Notifies recordings before it lets the thread run. */
static bool start(struct process *process, struct refusal *why)
{
    struct thread *thread = thread_create(base_name(process->path), process_main, process, why);

    if (!thread)
        return false;
    publish(process, thread);
    __atomic_store_n(&process->may_run, true, __ATOMIC_RELEASE);
    wait_queue_wake_all(&process->events);
    return true;
}

/*
 * Loads the program's symbols. After a failure, which it reports, the program runs without symbols.
 */
static const struct program *load_names(const char *path)
{
    struct refusal why;
    const struct program *program = program_load(path, &why);

    if (!program)
        print("%s\n", why.text);
    return program;
}

int process_spawn(const char *path, int argc, char *const *argv, const struct process *parent,
                  struct process **spawned, struct refusal *why)
{
    const char *missing = arch_user_missing();
    struct process *process;
    int error;

    if (missing)
        return refuse(why, ENOSYS, "%s: programs cannot run on this machine: %s", path, missing);
    process = claim(parent);
    if (!process)
        return refuse(why, EAGAIN, "%s: %d programs run already, no more are allowed", path,
                      PROCESSES_MAX);
    *spawned = process;
    error = load_program(process, path, argc, argv, why);
    if (!error)
        process->program = load_names(path);
    if (!error && !start(process, why))
        error = -EAGAIN;
    if (error)
        unmake(process);
    return error;
}

/* --- End -------------------------------------------------------------------------------------- */

/* Frees a process, after waiting for its thread, which may still be exiting. */
static struct process_end reap(struct process *process)
{
    struct process_end end = process->end;

    thread_join(process->thread);
    set_state(process, PROCESS_FREE);
    return end;
}

static void reap_orphan(struct work *work)
{
    struct process *process = work->data;
    bool job = process->parent == PROCESS_PARENT_JOB;

    if (job)
        job_ended(process);
    reap(process);
    if (job)
        input_wake();
}

/* Lets a worker free a process that has ended. Called under the table's lock. */
static void leave_to_worker(struct process *process)
{
    process->reaper = (struct work){.function = reap_orphan, .data = process};
    work_queue(&process->reaper);
}

/* No process will collect the children now: a worker frees them. Called under the table's lock. */
static void disown_children(const struct process *parent)
{
    for (unsigned i = 0; i < PROCESSES_MAX; i++) {
        struct process *child = &processes[i];

        if (child->state == PROCESS_FREE || child->parent != parent->pid)
            continue;
        child->parent = PROCESS_PARENT_NONE;
        if (child->state == PROCESS_ENDED)
            leave_to_worker(child);
    }
}

/* Changes the state first, then wakes the threads that wait for it, so that they see the change. */
static void announce_end(struct process *process)
{
    uint64_t flags = spinlock_acquire_irq(&table);
    uint32_t parent = process->parent;

    disown_children(process);
    set_state(process, PROCESS_ENDED);
    if (parent == PROCESS_PARENT_NONE || parent == PROCESS_PARENT_JOB)
        leave_to_worker(process);
    spinlock_release_irq(&table, flags);
    wait_queue_wake_all(&ends);
    if (parent == PROCESS_PARENT_CONSOLE)
        input_wake();
    for (unsigned i = 0; i < PROCESSES_MAX; i++)
        if (processes[i].state == PROCESS_LIVES && processes[i].pid == parent)
            wait_queue_wake_all(&processes[i].events);
}

/*
 * Clears the pointers before it destroys the space: an NMI that inspects the current process finds
 * a valid space, or none.
 */
static void leave_space(struct process *process)
{
    struct arch_space *space = process->space;
    uint64_t flags = arch_irq_save();

    thread_current()->space = NULL;
    thread_current()->process = NULL;
    process->mapping_count = 0;
    process->space = NULL;
    arch_space_enter(NULL, thread_current()->stack);
    arch_irq_restore(flags);
    arch_space_destroy(space);
}

_Noreturn void process_exit(struct process_end end)
{
    struct process *process = process_current();

    for (unsigned i = 0; i < PROCESS_FILES; i++)
        if (process->file[i] >= 0)
            fs_close(process->file[i]);
    process->end = end;
    process_tell_ended(process);
    leave_space(process);
    announce_end(process);
    thread_exit();
}

void process_detach(struct process *process)
{
    uint64_t flags = spinlock_acquire_irq(&table);

    process->parent = PROCESS_PARENT_JOB;
    if (process->state == PROCESS_ENDED)
        leave_to_worker(process);
    spinlock_release_irq(&table, flags);
}

void process_tell_console(const struct process *process)
{
    if (process->parent == PROCESS_PARENT_CONSOLE)
        input_wake();
}

bool process_is_stopped(const struct process *process)
{
    return signal_stops(process) && !process_has_ended(process) && process->thread->stopped;
}

bool process_has_ended(const struct process *process)
{
    return __atomic_load_n(&process->state, __ATOMIC_ACQUIRE) == PROCESS_ENDED;
}

struct process_end process_wait(struct process *process)
{
    uint64_t flags = wait_queue_lock(&ends);

    assert(process->parent == PROCESS_PARENT_CONSOLE);
    while (!process_has_ended(process))
        flags = wait_queue_sleep(&ends, flags);
    wait_queue_unlock(&ends, flags);
    return reap(process);
}

int64_t process_find_ended(const struct process *parent, int64_t pid)
{
    int64_t found = -ECHILD;
    uint64_t flags = spinlock_acquire_irq(&table);

    for (unsigned i = 0; i < PROCESSES_MAX && found <= 0; i++) {
        const struct process *child = &processes[i];

        if (!is_visible(child) || child->parent != parent->pid || (pid >= 0 && child->pid != pid))
            continue;
        found = child->state == PROCESS_ENDED ? (int64_t)child->pid : 0;
    }
    spinlock_release_irq(&table, flags);
    return found;
}

struct process_end process_collect(uint32_t pid)
{
    return reap(process_find(pid));
}

void process_kill(struct process *process, uint8_t signal)
{
    signal_mark(process, signal);
    wait_queue_wake_all(&process->events);
}

/*
 * The table's lock keeps the slot from being reused. After its release, the wake-up may reach the
 * slot's next process, whose thread checks its condition and sleeps again.
 */
int process_kill_pid(uint32_t pid, uint8_t signal)
{
    uint64_t flags = spinlock_acquire_irq(&table);
    struct process *process = process_find(pid);

    if (process)
        signal_mark(process, signal);
    spinlock_release_irq(&table, flags);
    if (process && signal)
        wait_queue_wake_all(&process->events);
    return process ? 0 : -ESRCH;
}

/* The last check before the return to user mode. Called with interrupts off. */
static void process_leave(struct regs *regs)
{
    struct process *process = process_current();
    uint8_t signal;

    (void)regs;
    while (signal_stops(process) && !signal_ends(process))
        signal_stand(process);
    signal = signal_ends(process);
    if (signal == 0)
        return;
    arch_irq_enable();
    process_exit((struct process_end){.signal = signal});
}

void process_init(void)
{
    static const struct arch_user_handlers handlers = {
        .call = syscall_dispatch, .fault = process_fault, .leave = process_leave};

    arch_user_set_handlers(&handlers);
}
