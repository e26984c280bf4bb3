/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A gate runs two instructions with interrupts on (arch/x86_64/entry/gate.asm), where emulators
 * that check for interrupts after calls deliver many: a chain from there would show the tracer
 * instead of the traced code. The gate has at most pushed the flags, so the code is moved back to
 * the call, and the interrupt seems to have interrupted the caller. Called in each interrupt,
 * interrupts off; a watch may hit here, which is harmless.
 */
#include "arch/patch.h"
#include "arch/x86_64/entry/trap.h"

#define CALL_SIZE 6 /* call [rip + d32], by a tracepoint's pointer */

/*
 * Returns the number of words that a gate has pushed at `ip`. If it is 2 or more, `ip` is not in
 * the two instructions.
 */
static uintptr_t words_pushed(uintptr_t ip)
{
    uintptr_t into = ip - (uintptr_t)arch_gate;

    return into < 2 ? into : ip - (uintptr_t)arch_gate_registers;
}

/* Leaves alone stepped contexts, whose step after the call is reported, and other forms of call. */
void gate_back_out(struct regs *regs)
{
    uintptr_t pushed = words_pushed(regs->ip);
    const uintptr_t *slot;
    const uint8_t *call;

    if (__builtin_expect(pushed >= 2, true) || regs->flags & FLAGS_TRAP)
        return;
    slot = (const uintptr_t *)regs->sp + pushed;
    call = (const uint8_t *)*slot - CALL_SIZE;
    if (call[0] != 0xff || call[1] != 0x15)
        return;
    regs->ip = (uintptr_t)call;
    regs->sp = (uintptr_t)(slot + 1);
}
