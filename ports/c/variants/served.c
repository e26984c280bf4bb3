/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sample kernel serves debug traps of its own, and counts them in a variable that may be
 * watched. Its gate has an IST stack of its own if OWN_STACK of the linker's command line is not
 * 0: the one that Pitot is given. Linked in front of what it wraps (port.mk) for
 * tests/boot/ports_c.t.
 */
#include "ports/c/variants/gates.h"

#include "pitot.h"

extern const char OWN_STACK[];

static char own_stack[STACK_SIZE] __attribute__((aligned(16)));
uint64_t served;
static uint64_t astray; /* served on another stack */

const char *__wrap_pitot_init(const struct pitot_kernel *kernel);
const char *__real_pitot_init(const struct pitot_kernel *kernel);
void __wrap_trap_serve(struct trap_frame *frame);
void __real_trap_serve(struct trap_frame *frame);
void __wrap_record_end(void);
void __real_record_end(void);

const char *__wrap_pitot_init(const struct pitot_kernel *kernel)
{
    if ((uint64_t)OWN_STACK == 1)
        debug_gate_set_stack(own_stack + STACK_SIZE);
    return __real_pitot_init(kernel);
}

void __wrap_trap_serve(struct trap_frame *frame)
{
    const char *at = (const char *)frame, *low = boot_stack, *high = boot_stack_end;

    if (frame->vector != DEBUG_VECTOR) {
        __real_trap_serve(frame);
        return;
    }
    if ((uint64_t)OWN_STACK == 1) {
        low = own_stack;
        high = own_stack + STACK_SIZE;
    }
    served++;
    astray += at < low || at >= high;
}

/* `int $1`, and steps: TF is set for two instructions and the two that clear it. */
void __wrap_record_end(void)
{
    __asm__ volatile("int $1\n\t"
                     "pushfq; orq $0x100, (%rsp); popfq\n\t"
                     "nop; nop\n\t"
                     "pushfq; andq $~0x100, (%rsp); popfq");
    say_number(served);
    say(" served, ");
    say_number(astray);
    say(" on another stack\n");
    __real_record_end();
}
