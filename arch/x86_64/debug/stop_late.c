/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An NMI that requests a stop may interrupt a kernel debug trap or #BP, on which the CPU cannot
 * stop; if that trap returns to a loop with interrupts off, the request is never repeated. So traps
 * check for a request at their end (watch_return, trap_entry.asm): the NMI sends a trap in its last
 * instructions back to that check, and makes a debug trap's handler return to it.
 */
#include "arch/cpu.h"
#include "arch/x86_64/debug/stop.h"
#include "arch/x86_64/entry/trap.h"
#include "arch/x86_64/entry/vectors.h"

static bool is_in_tail(uintptr_t ip)
{
    for (const struct trap_border *tail = trap_tails; tail < trap_tails_end; tail++)
        if (ip >= tail->from && ip < tail->to)
            return true;
    return false;
}

/* Changes the handler's return address, right below the frame, if its call has run. */
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
 * A program's interrupts are on, so a tick repeats the request. A trap in its last instructions may
 * have decremented watch_depth: it is counted again, so that DR7 stays 0 after this NMI. A trap
 * that has not called its handler yet checks in the handler (stop_fired, stop_passed).
 */
void stop_look_again(struct regs *regs)
{
    struct percpu *self = percpu_self();
    struct regs *frame = trap_frame_of(regs->sp);

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
