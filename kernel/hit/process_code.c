/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See process_code.h. Called in hits, NMIs included. The process is that of the thread that owns
 * the hit's stack; it is not freed while its CPU is in the hit.
 */
#include "kernel/hit/process_code.h"

#include "core/unwind/user.h"
#include "kernel/hit/program.h"
#include "kernel/sched/scheduler.h"
#include "kernel/user/process.h"

/*
 * During a switch the CPU is still on the previous thread's stack although the next one is current.
 * A stack that belongs to no thread is one of the CPU's own; what runs there has interrupted the
 * current thread.
 */
static const struct process *process_on(const struct arch_stack *stack)
{
    const struct thread *thread = thread_current();

    if (stack && stack->thread && thread->stack != stack)
        thread = scheduler_left();
    return thread && (!stack || !stack->thread || thread->stack == stack) ? thread->process : NULL;
}

static bool code_read(const struct arch_stack *stack, uintptr_t address, void *to, size_t length)
{
    const struct process *process = process_on(stack);

    return process && process->space && arch_user_read(process->space, address, to, length);
}

static bool code_function(const struct arch_stack *stack, uintptr_t ip, uintptr_t *start)
{
    const struct process *process = process_on(stack);
    struct symbol symbol;

    if (!process || !process->program ||
        !symbol_table_find_address(&process->program->symbols, ip, &symbol))
        return false;
    *start = symbol.address;
    return true;
}

void process_code_init(void)
{
    static const struct unwind_programs programs = {code_read, code_function};

    unwind_user_set_programs(&programs);
}
