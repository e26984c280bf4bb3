/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Answers the breakpoints' questions about processes (struct breakpoint_processes). Called at
 * context switches and with all other CPUs parked; watch_read also in debug traps.
 */
#include <linux/signal.h>

#include "core/breakpoint/breakpoint.h"
#include "kernel/hit/program.h"
#include "kernel/sched/scheduler.h"
#include "kernel/user/process.h"
#include "kernel/user/signals.h"

ARCH_HIT_TEXT static const struct process *process_on(unsigned cpu)
{
    const struct thread *thread = scheduler_current(cpu);

    return thread ? thread->process : NULL;
}

ARCH_HIT_TEXT static bool watch_runs(unsigned cpu, const struct breakpoint_target *target)
{
    const struct process *process = process_on(cpu);

    if (!process || (target->pid && target->pid != process->pid))
        return false;
    return !target->program || target->program == process->program;
}

ARCH_HIT_TEXT static bool watch_read(unsigned cpu, uintptr_t address, void *to, size_t length)
{
    const struct process *process = process_on(cpu);

    return process && process->space && arch_user_read(process->space, address, to, length);
}

static int refuse_in_program(const struct breakpoint *breakpoint, const struct program *program,
                             struct refusal *why)
{
    const struct program_segment *segment =
        program_segment_of(program, breakpoint->address, breakpoint->length);

    if (!segment)
        return refuse(why, EFAULT,
                      "0x%lx/%zu is in no segment of %s; -p PID watches what a process has mapped",
                      (unsigned long)breakpoint->address, breakpoint->length, program->path);
    if (breakpoint->access == ARCH_EXECUTE && !segment->executable)
        return refuse(why, EINVAL,
                      "0x%lx of %s is not executable: an execute breakpoint there cannot hit",
                      (unsigned long)breakpoint->address, program->path);
    return 0;
}

static const struct process_mapping *find_mapping(const struct process *process,
                                                  const struct breakpoint *breakpoint)
{
    for (unsigned i = 0; i < process->mapping_count; i++) {
        const struct process_mapping *mapping = &process->mapping[i];

        if (breakpoint->address - mapping->base < mapping->size &&
            breakpoint->length <= mapping->base + mapping->size - breakpoint->address)
            return mapping;
    }
    return NULL;
}

static int refuse_in_process(const struct breakpoint *breakpoint, struct refusal *why)
{
    const struct process *process = process_find(breakpoint->target.pid);
    const struct process_mapping *mapping = process ? find_mapping(process, breakpoint) : NULL;

    if (!process)
        return refuse(why, ESRCH, "no program runs as %u; `ps` lists them", breakpoint->target.pid);
    if (!mapping)
        return refuse(why, EFAULT, "0x%lx/%zu is not mapped in process %u: it faults first",
                      (unsigned long)breakpoint->address, breakpoint->length, process->pid);
    if (breakpoint->access == ARCH_EXECUTE && mapping->access != ARCH_PAGE_EXECUTE)
        return refuse(
            why, EINVAL,
            "0x%lx of process %u is not executable: an execute breakpoint there cannot hit",
            (unsigned long)breakpoint->address, process->pid);
    return 0;
}

static int watch_refuse_place(const struct breakpoint *breakpoint, struct refusal *why)
{
    const struct program *program = breakpoint->target.program;

    return program ? refuse_in_program(breakpoint, program, why)
                   : refuse_in_process(breakpoint, why);
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

void process_watch_init(void)
{
    static const struct breakpoint_processes processes = {
        .runs = watch_runs,
        .read = watch_read,
        .candidates = arch_program_candidates,
        .refuse_place = watch_refuse_place,
    };

    breakpoint_processes = &processes;
}
