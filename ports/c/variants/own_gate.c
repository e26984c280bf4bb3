/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sample kernel with its own gate of debug traps: its common entry calls pitot_debug_trap, on
 * the kernel's stack. Linked in front of what it wraps (port.mk) for tests/boot/ports_c.t.
 */
#include "ports/c/variants/gates.h"

#include "pitot.h"

#define GATE __attribute__((section(".text.gate"))) /* may not be watched */

static char debug_stacks[CPUS][STACK_SIZE] __attribute__((aligned(16)));

void __wrap_trap_serve(struct trap_frame *frame);
void __real_trap_serve(struct trap_frame *frame);
const char *__wrap_pitot_init(const struct pitot_kernel *kernel);
const char *__real_pitot_init(const struct pitot_kernel *kernel);

GATE void __wrap_trap_serve(struct trap_frame *frame)
{
    if (frame->vector == DEBUG_VECTOR && pitot_debug_trap(frame))
        return;
    __real_trap_serve(frame);
}

const char *__wrap_pitot_init(const struct pitot_kernel *kernel)
{
    struct pitot_kernel with = *kernel;

    debug_gate_set_stack(debug_stacks[CPUS]);
    with.debug_ist = 0;
    with.gate_stack = debug_stacks[0];
    with.gate_stack_end = debug_stacks[CPUS];
    return __real_pitot_init(&with);
}
