/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Answers what Pitot asks about processes: members of struct pitot_kernel, in the contexts that
 * core/pitot.h states. A process is not freed while its thread is in a hit.
 */
#include <linux/signal.h>

#include "arch/program.h"
#include "arch/unwind.h"
#include "core/pitot.h"
#include "kernel/hit/program.h"
#include "kernel/sched/scheduler.h"
#include "kernel/user/process.h"

ARCH_HIT_TEXT static bool is_on(const struct thread *thread, uintptr_t address)
{
    return thread && thread->stack &&
           address - thread->stack->low < thread->stack->high - thread->stack->low;
}

/*
 * During a switch the CPU is still on the previous thread's stack although the next one is current.
 * What runs on a stack of the CPU's own has interrupted the current thread.
 */
ARCH_HIT_TEXT static const struct process *process_on(unsigned cpu, uintptr_t stack)
{
    const struct thread *thread = scheduler_current(cpu);
    const struct arch_stack *other;

    if (stack && !is_on(thread, stack)) {
        if (is_on(scheduler_left(), stack))
            return scheduler_left()->process;
        other = arch_stack_find(stack);
        if (other && other->thread)
            return NULL;
    }
    return thread ? thread->process : NULL;
}

ARCH_HIT_TEXT unsigned process_watch_of(unsigned cpu, unsigned long stack,
                                        const struct pitot_program **program)
{
    const struct process *process = process_on(cpu, stack);

    *program = process && process->program ? &process->program->known : NULL;
    return process ? process->pid : 0;
}

ARCH_HIT_TEXT int process_watch_read(unsigned cpu, unsigned long stack, unsigned long address,
                                     void *to, unsigned long length)
{
    const struct process *process = process_on(cpu, stack);

    return process && process->space && arch_user_read(process->space, address, to, length);
}

/* The bytes that are to be watched, for accesses or for execution. */
struct watched {
    uintptr_t address;
    size_t length;
    bool execute;
};

static int refuse_in_program(const struct watched *watched, const struct program *program,
                             struct refusal *why)
{
    const struct program_segment *segment =
        program_segment_of(program, watched->address, watched->length);

    if (!segment)
        return refuse(why, EFAULT,
                      "0x%lx/%zu is in no segment of %s; -p PID watches what a process has mapped",
                      (unsigned long)watched->address, watched->length, program->path);
    if (watched->execute && !segment->executable)
        return refuse(why, EINVAL,
                      "0x%lx of %s is not executable: an execute breakpoint there cannot hit",
                      (unsigned long)watched->address, program->path);
    return 0;
}

static const struct process_mapping *find_mapping(const struct process *process,
                                                  const struct watched *watched)
{
    for (unsigned i = 0; i < process->mapping_count; i++) {
        const struct process_mapping *mapping = &process->mapping[i];

        if (watched->address - mapping->base < mapping->size &&
            watched->length <= mapping->base + mapping->size - watched->address)
            return mapping;
    }
    return NULL;
}

static int refuse_in_process(const struct watched *watched, uint32_t pid, struct refusal *why)
{
    const struct process *process = process_find(pid);
    const struct process_mapping *mapping = process ? find_mapping(process, watched) : NULL;

    if (!process)
        return refuse(why, ESRCH, "no program runs as %u; `ps` lists them", pid);
    if (!mapping)
        return refuse(why, EFAULT, "0x%lx/%zu is not mapped in process %u: it faults first",
                      (unsigned long)watched->address, watched->length, process->pid);
    if (watched->execute && mapping->access != ARCH_PAGE_EXECUTE)
        return refuse(
            why, EINVAL,
            "0x%lx of process %u is not executable: an execute breakpoint there cannot hit",
            (unsigned long)watched->address, process->pid);
    return 0;
}

int process_watch_refuse(const struct pitot_program *program, unsigned pid, unsigned long address,
                         unsigned long length, int execute, const char **why)
{
    static struct refusal reason;
    const struct watched watched = {address, length, execute};

    *why = reason.text;
    /* A program that Pitot knows begins with what Pitot knows of it. */
    return program ? refuse_in_program(&watched, (const struct program *)program, &reason)
                   : refuse_in_process(&watched, pid, &reason);
}

/* Stops the current process before its next instruction, like SIGSTOP. */
ARCH_HIT_TEXT void process_watch_stop(void)
{
    struct process *process = process_current();

    if (!process)
        return;
    signal_mark(process, SIGSTOP);
    arch_user_look();
}

ARCH_HIT_TEXT struct pitot_step *process_watch_step(void)
{
    return &thread_current()->step;
}
