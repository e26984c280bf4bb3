/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A gate runs two instructions before interrupts are off (arch/x86_64/entry/gate.asm), and an
 * emulator that checks for interrupts after calls delivers many right there: a chain taken in such
 * an interrupt would show the tracer instead of the traced code. The gate has at most pushed the
 * flags by then, so the code is moved back to the call and repeats it after the interrupt, which
 * then seems to have interrupted the caller. In each interrupt, interrupts off; a watch of memory
 * read here may hit, which is harmless.
 */
#include "arch/patch.h"
#include "arch/regs.h"
#include "arch/x86_64/entry/trap.h"

#define CALL_SIZE 6 /* call [rip + d32], by a tracepoint's pointer */

static bool is_call(const uint8_t *code)
{
    return code[0] == 0xff && code[1] == 0x15;
}

/* Words that the gate has pushed at `ip`; less than two only while interrupts are on. */
static uintptr_t words_pushed(uintptr_t ip)
{
    uintptr_t into = ip - (uintptr_t)arch_gate;

    return into < 2 ? into : ip - (uintptr_t)arch_gate_registers;
}

/*
 * A stepped context stays, as the step after the call has been reported; so does a call of another
 * form, whose start cannot be found from its end.
 */
void gate_back_out(struct regs *regs)
{
    uintptr_t pushed = words_pushed(regs->ip);
    const uintptr_t *slot;

    if (__builtin_expect(pushed >= 2, true) || regs->flags & FLAGS_TRAP)
        return;
    slot = (const uintptr_t *)regs->sp + pushed;
    if (!is_call((const uint8_t *)*slot - CALL_SIZE))
        return;
    regs->ip = *slot - CALL_SIZE;
    regs->sp = (uintptr_t)(slot + 1);
}
