/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An NMI that asks for a stop and comes upon a debug trap or a #BP of the kernel's. No stop can be
 * made on top of that trap, and a CPU that goes back to a loop with interrupts off has nothing
 * later that would ask again. So the trap looks for what is due at its end (watch_return,
 * arch/x86_64/entry/trap_entry.asm): one in its last instructions is sent back to the look, and a
 * debug trap's handler is given the look to return to. In that NMI, which is the debugger's.
 */
#include "arch/x86_64/cpu/percpu.h"
#include "arch/x86_64/debug/stop.h"
#include "arch/x86_64/entry/stacks.h"
#include "arch/x86_64/entry/vectors.h"

static bool is_in_tail(uintptr_t ip)
{
    for (const struct trap_border *tail = trap_tails; tail < trap_tails_end; tail++)
        if (ip >= tail->from && ip < tail->to)
            return true;
    return false;
}

/* What the trap that owns this stack pointer has saved; NULL: it is another stack's. */
static struct regs *frame_of_trap(const struct percpu *self, uintptr_t sp)
{
    static const unsigned char pages[] = {IST_DEBUG, IST_EXCEPTION};

    for (unsigned i = 0; i < sizeof(pages); i++) {
        const struct arch_stack *page = stack_of_cpu(self->cpu, pages[i] - 1u);

        if (sp > page->low && sp <= page->high)
            return (struct regs *)page->high - 1;
    }
    return NULL;
}

/*
 * Changes the return address of a debug trap's handler that is under way: its call is the first
 * thing below the frame. Before the call the place has what another one has left, and the call is
 * yet to write it.
 */
static void return_to_look(struct regs *frame, uintptr_t sp)
{
    uintptr_t *back = (uintptr_t *)frame - 1;

    if (sp > (uintptr_t)back)
        return;
    for (const struct debug_return *each = debug_returns; each < debug_returns_end; each++)
        if (*back == each->usual)
            *back = each->asked;
}

/*
 * A program has interrupts on, and a tick asks. A trap in its tail may have counted itself out
 * already: it is back in, so that DR7 stays 0 after this NMI. One that has not called its handler
 * yet has that look (stop_fired, stop_passed).
 */
void stop_look_again(struct regs *regs)
{
    struct percpu *self = percpu_self();
    struct regs *frame = frame_of_trap(self, regs->sp);

    if (!frame || regs_user_mode(frame) || frame->error)
        return;
    if (!is_in_tail(regs->ip)) {
        return_to_look(frame, regs->sp);
        return;
    }
    regs->ip = trap_look;
    regs->sp = (uintptr_t)frame;
    self->watch_depth = 2;
}
