/* SPDX-License-Identifier: BSD-2-Clause */
/* See run.h. */
#include "outside/plugin/run.h"

#include "outside/plugin/heap.h"
#include "outside/plugin/held.h"
#include "outside/plugin/kernel_locks.h"
#include "outside/plugin/race.h"
#include "outside/plugin/race_words.h"
#include "outside/plugin/shake.h"
#include "outside/plugin/trace.h"

const char *judges_begin(qemu_plugin_id_t id, const struct request *request,
                         const qemu_info_t *info)
{
    unsigned cpus = (unsigned)info->system.max_vcpus;
    const char *wrong = heap_begin(request, cpus);

    if (!wrong)
        wrong = race_begin(id, request, info);
    if (!wrong && (!shake_begin(id, request, cpus) || (run.locks && !kernel_locks_begin(request))))
        wrong = "out of memory";
    return wrong;
}

void judges_end(void)
{
    race_end();
}

void judges_interrupt(unsigned cpu, const struct run_interrupt *interrupt)
{
    race_interrupted(cpu, interrupt->follow.device);
    if (run.locks)
        kernel_locks_flags(cpu, interrupt->follow.entry, interrupt->flags);
}

void judges_before_switch(unsigned cpu)
{
    if (run.locks)
        held_before_switch(cpu);
}

void judges_after_switch(unsigned cpu)
{
    race_switches(cpu);
    if (run.locks)
        held_after_switch(cpu);
}

void judges_return(unsigned cpu, uint64_t number)
{
    if (trace_wakes_return(number))
        return;
    if (run.locks)
        lock_functions_return(cpu, number);
    else
        heap_returns(cpu, number);
}

void judges_reset(void)
{
    heap_reset();
    trace_wakes_reset();
    if (run.locks)
        kernel_locks_reset();
}

void judges_tell(void)
{
    heap_tell();
    if (run.locks)
        kernel_locks_tell();
}

void judges_watch(const struct instruction *instruction)
{
    heap_watch_instruction(instruction);
    kernel_locks_watch(instruction);
    race_watch_instruction(instruction);
    trace_wakes_watch(instruction);
    shake_watch_instruction(instruction);
}

void judges_slide(uint64_t by)
{
    allocators_slide(by);
    lock_functions_slide(by);
    race_words_slide(by);
    trace_wakes_slide(by);
}
