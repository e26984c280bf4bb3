/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See host.h. The members of struct pitot_kernel; each runs in the context that core/pitot.h
 * states.
 */
#include "kernel/host.h"

#include <linux/errno.h>

#include "arch/cpu.h"
#include "arch/memory.h"
#include "core/pitot.h"
#include "kernel/console/input.h"
#include "kernel/hit/program.h"
#include "kernel/memory/pages.h"
#include "kernel/panic/panic.h"
#include "kernel/sched/scheduler.h"
#include "kernel/syscall/syscalls.h"
#include "kernel/user/process.h"

#define IDLE_NAME      "swapper" /* perf's, of pid 0 */
#define BOOT_TASK_NAME "pitot"   /* the boot thread's name, unless it runs a recorded command */

static void *kept_place; /* set at boot, as is its size; NULL: none */
static size_t kept_size;

static unsigned order_of(size_t bytes)
{
    return pages_order((bytes + PAGE_SIZE - 1) / PAGE_SIZE);
}

static struct refusal reason; /* task context; the last one */

static void *memory_take(unsigned long bytes, const char **why)
{
    unsigned order = order_of(bytes), most = PAGES_ORDER_MAX;
    void *memory = order <= PAGES_ORDER_MAX ? pages_alloc(order) : NULL;
    struct pages_counts counts;

    if (memory)
        return memory;
    counts = pages_counts();
    while (most > 0 && counts.free_blocks[most] == 0)
        most--;
    refuse(&reason, ENOMEM, "%llu bytes are free, at most %llu of them in one block",
           (unsigned long long)counts.free * PAGE_SIZE,
           counts.free ? (unsigned long long)PAGE_SIZE << most : 0ull);
    *why = reason.text;
    return NULL;
}

static void memory_give(void *memory, unsigned long bytes)
{
    pages_free(memory, order_of(bytes));
}

void host_set_kept(void *start, size_t bytes)
{
    kept_place = start;
    kept_size = bytes;
}

static void *memory_kept(unsigned long *bytes)
{
    *bytes = kept_size;
    return kept_place;
}

ARCH_HIT_TEXT static const char *task_name_of(unsigned cpu)
{
    const struct thread *thread = scheduler_current(cpu);

    return thread ? thread->name : NULL;
}

static void task_rename(const char *name)
{
    thread_set_name(thread_current(), name ? name : BOOT_TASK_NAME);
}

static enum pitot_task task_find(unsigned pid)
{
    const struct thread *thread = thread_find(pid);

    if (!thread)
        return PITOT_TASK_NONE;
    return thread->process ? PITOT_TASK_OF_PROGRAM : PITOT_TASK_OF_KERNEL;
}

/* Idle threads have pid 0; a recording shows them by the name that perf gives to that pid. */
static void tasks_tell(void)
{
    const struct thread *thread;

    for (unsigned i = 0; i < THREADS_MAX; i++)
        if ((thread = thread_at(i)))
            pitot_thread_lived(thread->pid, thread->pid == 0 ? IDLE_NAME : thread->name);
    process_tell_all();
}

static void follow(enum pitot_follow which)
{
    if (which == PITOT_FOLLOW_END)
        thread_follow_end();
    else
        thread_follow(which == PITOT_FOLLOW ? THREAD_FOLLOWED : THREAD_FOLLOWED_FROM_EXEC);
}

static const char *thread_start(const char *name, void (*run)(void *unused), unsigned *pid)
{
    struct thread *thread = thread_create(name, run, NULL, &reason);

    if (!thread)
        return reason.text;
    *pid = thread->pid;
    thread_yield();
    return NULL;
}

static struct wait_queue channels[PITOT_CHANNELS] = {
    [PITOT_RECORDS] = WAIT_QUEUE("records"),
    [PITOT_STREAM_ENDS] = WAIT_QUEUE("stream"),
    [PITOT_INTERVAL] = WAIT_QUEUE("interval"),
    [PITOT_MONITOR] = WAIT_QUEUE("monitor"),
};

/* gdb may stop an idle thread, which must not sleep. */
static void wait(enum pitot_channel channel, int (*until)(void))
{
    uint64_t flags;

    while (thread_current()->pid == 0) {
        if (until())
            return;
        thread_yield();
        arch_relax();
    }
    flags = wait_queue_lock(&channels[channel]);
    while (!until())
        flags = wait_queue_sleep(&channels[channel], flags);
    wait_queue_unlock(&channels[channel], flags);
}

static void wake(enum pitot_channel channel)
{
    wait_queue_wake_all(&channels[channel]);
}

static const struct pitot_program *load(const char *path, const char **why)
{
    const struct program *program = program_load(path, &reason);

    *why = reason.text;
    return program ? &program->known : NULL;
}

static bool is_recordable(const struct thread *thread)
{
    return thread->pid != 0;
}

static void words_tell(enum pitot_words which)
{
    size_t count = which == PITOT_WORDS_PROGRAMS ? program_names_read() : 0;

    for (size_t i = 0; i < count; i++)
        pitot_word(program_path(i));
    if (which == PITOT_WORDS_THREADS)
        thread_words(is_recordable);
}

static int interrupted(enum pitot_interrupt how)
{
    if (how == PITOT_INTERRUPT_TAKE)
        return input_take_interrupt();
    if (how == PITOT_INTERRUPT_AWAIT)
        input_wait_until(input_interrupted);
    return input_interrupted();
}

static void panic_with(const char *what)
{
    panic("%s", what);
}

const char *host_init(void)
{
    static struct pitot_kernel kernel = {
        .panic = panic_with,
        .memory_take = memory_take,
        .memory_give = memory_give,
        .memory_kept = memory_kept,
        .task_name = task_name_of,
        .task_rename = task_rename,
        .task_find = task_find,
        .tasks_tell = tasks_tell,
        .follow = follow,
        .thread_start = thread_start,
        .wait = wait,
        .wake = wake,
        .program_load = load,
        .program_stop = process_watch_stop,
        .process = process_watch_of,
        .process_read = process_watch_read,
        .process_watchable = process_watch_refuse,
        .thread_step = process_watch_step,
        .calls = syscall_table,
        .interrupted = interrupted,
        .words_tell = words_tell,
        .power = power_request,
        .command = console_run_for_gdb,
    };

    kernel.call_count = syscall_count;
    kernel.text = (const void *)arch_text_start();
    kernel.text_end = (const void *)arch_text_end();
    kernel.gate_stack = arch_frame_stacks(&kernel.gate_stack_end);
    return pitot_init(&kernel);
}
