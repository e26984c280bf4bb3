/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sample kernel's other CPU runs a program in ring 3 before its work, until gdb ends that.
 * Linked in front of what it wraps (port.mk) for tests/boot/ports_gdb_cpus.t.
 */
#include "ports/c/variants/ring3.h"

#define INVALID_OPCODE 6

static char trap_stack[STACK_SIZE] __attribute__((aligned(16)));
static uint64_t kernel_sp;
extern const char program_end[];
uint32_t leaves; /* set by gdb */

void __wrap_trap_serve(struct trap_frame *frame);
void __real_trap_serve(struct trap_frame *frame);
void __wrap_other_main(void);
void __real_other_main(void);

void __wrap_trap_serve(struct trap_frame *frame)
{
    if (frame->vector == INVALID_OPCODE && frame->cs == PROGRAM_CODE)
        leave_program(frame, program_end, kernel_sp);
    else
        __real_trap_serve(frame);
}

void __wrap_other_main(void)
{
    __asm__ volatile("cli");
    prepare_program(trap_stack + STACK_SIZE);
    __asm__ volatile("movq %%rsp, %0\n\t"
                     "pushq %1; pushq $0; pushq $0x202; pushq %2\n\t" /* IF */
                     "leaq 1f(%%rip), %%rax; pushq %%rax; swapgs; iretq\n"
                     "1: pause; cmpl $0, %3; je 1b; ud2\n"
                     "program_end: sti"
                     : "=m"(kernel_sp)
                     : "i"(PROGRAM_DATA), "i"(PROGRAM_CODE), "m"(leaves)
                     : "rax", "memory", "cc");
    __real_other_main();
}
