/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An NMI that asks for a stop and comes upon the last instructions of a debug trap or a #BP of the
 * kernel's. No stop can be made on top of that trap, and a CPU that goes back to a loop with
 * interrupts off has nothing later that would ask again. So the trap is sent back to its look for
 * what is due (watch_return, arch/x86_64/trap_entry.asm). In that NMI, which is the debugger's.
 */
#include "arch/x86_64/percpu.h"
#include "arch/x86_64/stacks.h"
#include "arch/x86_64/stop.h"
#include "arch/x86_64/vectors.h"

static bool is_in_tail(uintptr_t ip)
{
    for (const struct trap_border *tail = trap_tails; tail < trap_tails_end; tail++)
        if (ip >= tail->from && ip < tail->to)
            return true;
    return false;
}

/* What the trap that owns this stack pointer has saved; NULL: it is another stack's. */
static const struct regs *frame_of_trap(const struct percpu *self, uintptr_t sp)
{
    static const unsigned char pages[] = {IST_DEBUG, IST_EXCEPTION};

    for (unsigned i = 0; i < sizeof(pages); i++) {
        const struct arch_stack *page = stack_of_cpu(self->cpu, pages[i] - 1u);

        if (sp > page->low && sp <= page->high)
            return (const struct regs *)page->high - 1;
    }
    return NULL;
}

/*
 * A program has interrupts on, and a tick asks. The trap may have counted itself out already: it is
 * back in, so that DR7 stays 0 behind this NMI.
 */
void stop_look_again(struct regs *regs)
{
    struct percpu *self = percpu_self();
    const struct regs *frame = is_in_tail(regs->ip) ? frame_of_trap(self, regs->sp) : NULL;

    if (!frame || regs_user_mode(frame) || frame->error)
        return;
    regs->ip = trap_look;
    regs->sp = (uintptr_t)frame;
    self->watch_depth = 2;
}
