/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sample kernel with its own gate of debug traps: its common entry calls pitot_debug_trap, on
 * the kernel's stack. Linked in front of what it wraps (port.mk) for tests/boot/ports_c.t.
 */
#include "ports/c/kernel.h"

#include "pitot.h"

#define GATE __attribute__((section(".text.gate"))) /* may not be watched */

#define GATE_SIZE   16
#define STACK       4 /* the gate's byte that says on which stack */
#define TASK        0x28
#define FIRST_STACK 36 /* in the task state */

extern uint64_t gdt[];

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

/* Leads vector 1 to the first IST stack, of the only CPU. */
static void set_stack(void)
{
    struct __attribute__((packed)) {
        uint16_t last;
        uint8_t *base;
    } idt;
    uint64_t low = gdt[TASK / 8], high = gdt[TASK / 8 + 1];
    uint8_t *task = (uint8_t *)(high << 32 | (low >> 56 & 0xff) << 24 | (low >> 16 & 0xffffff));

    __asm__ volatile("sidt %0" : "=m"(idt));
    idt.base[DEBUG_VECTOR * GATE_SIZE + STACK] = 1;
    *(uint64_t *)(task + FIRST_STACK) = (uint64_t)debug_stacks[CPUS];
}

const char *__wrap_pitot_init(const struct pitot_kernel *kernel)
{
    struct pitot_kernel with = *kernel;

    set_stack();
    with.debug_ist = 0;
    with.gate_stack = debug_stacks[0];
    with.gate_stack_end = debug_stacks[CPUS];
    return __real_pitot_init(&with);
}
