/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sample kernel with its own gate of debug traps: its common entry calls pitot_debug_trap, on
 * the kernel's stack. Linked in front of what it wraps (port.mk) for tests/boot/ports_c.t.
 */
#include "ports/c/kernel.h"

#include "pitot.h"

#define GATE __attribute__((section(".text.gate"))) /* may not be watched */

static char debug_stacks[CPUS][STACK_SIZE] __attribute__((aligned(16)));

void __wrap_trap_serve(struct trap_frame *frame);
void __real_trap_serve(struct trap_frame *frame);
void __wrap_pitot_debug_entry(void);
void *__wrap_pitot_debug_stack(unsigned cpu);
const char *__wrap_pitot_init(const struct pitot_kernel *kernel);
const char *__real_pitot_init(const struct pitot_kernel *kernel);

GATE static struct pitot_regs regs_of(const struct trap_frame *f)
{
    return (struct pitot_regs){f->r15, f->r14, f->r13, f->r12,   f->bp, f->bx, f->r11, f->r10,
                               f->r9,  f->r8,  f->ax,  f->cx,    f->dx, f->si, f->di,  0,
                               0,      f->ip,  f->cs,  f->flags, f->sp, f->ss};
}

GATE void __wrap_trap_serve(struct trap_frame *frame)
{
    struct pitot_regs regs;

    if (frame->vector == DEBUG_VECTOR) {
        regs = regs_of(frame);
        if (pitot_debug_trap(&regs)) {
            frame->flags = regs.flags;
            return;
        }
    }
    __real_trap_serve(frame);
}

void *__wrap_pitot_debug_stack(unsigned cpu)
{
    return debug_stacks[cpu] + STACK_SIZE;
}

/* The stub of vector 1: 16 bytes after that of vector 0. */
__asm__(".section .text.gate, \"ax\"\n"
        ".include \"cfi_gas.inc\"\n"
        "cfi_start __wrap_pitot_debug_entry, trap\n"
        "jmp trap_table + 16\n"
        "cfi_end __wrap_pitot_debug_entry\n"
        ".text\n");

const char *__wrap_pitot_init(const struct pitot_kernel *kernel)
{
    static struct pitot_kernel with;

    with = *kernel;
    with.gate_stack = debug_stacks[0];
    with.gate_stack_end = debug_stacks[CPUS];
    return __real_pitot_init(&with);
}
