/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Steps in another kernel, of its programs alone; in place of arch/x86_64/debug/step.c. No watch is
 * off during a step, because the kernel's entries would not turn it on again. Contexts: arch/step.h
 * and arch/program.h.
 */
#include "arch/step.h"

#include "arch/cpu.h"
#include "arch/embed.h"
#include "arch/program.h"
#include "arch/x86_64/cpu/cpu.h"
#include "arch/x86_64/debug/debugreg.h"
#include "arch/x86_64/entry/trap.h"
#include "core/host.h"

#define PAGE_SIZE 4096

/* After a system call that returns by `iretq`, r11 has the flags that the frame has. */
static bool is_call(const struct regs *regs)
{
    return regs->cx == regs->ip && regs->r11 == regs->flags;
}

/* DR6 may show a step that was the kernel's, which would count as the program's next one. */
void arch_embed_program_returns(void *frame)
{
    struct regs regs = arch_embed_regs(frame);

    if (is_call(&regs))
        regs.vector = REGS_SYSCALL;
    debug_leave(&regs);
    percpu_self()->program_steps = false;
    cpu_write_dr6(DR6_CLEAR);
    arch_embed_regs_return(&regs, frame);
}

void arch_user_step_more(struct regs *regs)
{
    regs->flags |= FLAGS_TRAP;
}

/* --- The memory of this CPU's program; the kernel knows which one that is. --- */

struct arch_space *space_of_cpu(unsigned cpu)
{
    (void)cpu;
    return NULL;
}

/* Page by page, as the kernel reads all bytes or none. */
bool arch_user_read(const struct arch_space *space, uintptr_t address, void *to, size_t length)
{
    size_t done = 0, part;

    (void)space;
    for (; done < length; done += part) {
        part = PAGE_SIZE - (address + done) % PAGE_SIZE;
        part = part < length - done ? part : length - done;
        if (!host.process_read(arch_cpu_id(), 0, address + done, (char *)to + done, part))
            return false;
    }
    return true;
}

bool arch_user_write(struct arch_space *space, uintptr_t address, const void *from, size_t length)
{
    (void)space;
    return host.process_write(address, from, length);
}

/* --- The kernel is not stepped. --- */

void arch_step_more(struct regs *regs)
{
    (void)regs;
}

void arch_step_no_more(struct regs *regs)
{
    (void)regs;
}

bool arch_step_possible(const struct regs *regs)
{
    (void)regs;
    return false;
}

void arch_step_begin(void)
{
}

uintptr_t arch_step_branch(uintptr_t from, uintptr_t to)
{
    (void)from, (void)to;
    return 0;
}
