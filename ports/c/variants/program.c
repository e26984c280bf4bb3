/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sample kernel steps a program in ring 3 by its trap flag, and counts the debug traps in a
 * variable that may be watched. Linked in front of what it wraps (port.mk) for
 * tests/boot/ports_c.t.
 */
#include "ports/c/variants/ring3.h"

#include "pitot.h"

#define STEPS 5

static char program_stack[STACK_SIZE] __attribute__((aligned(16))); /* of the program's traps */
static uint64_t kernel_sp;
extern const char program_end[];
uint64_t served;
static uint64_t astray; /* served on another stack */

void __wrap_trap_serve(struct trap_frame *frame);
void __real_trap_serve(struct trap_frame *frame);
void __wrap_record_end(void);
void __real_record_end(void);

/* From the last step the kernel continues. */
void __wrap_trap_serve(struct trap_frame *frame)
{
    const char *at = (const char *)frame;

    if (frame->vector != DEBUG_VECTOR) {
        __real_trap_serve(frame);
        return;
    }
    served++;
    astray += at < program_stack || at >= program_stack + STACK_SIZE;
    if (served == STEPS)
        leave_program(frame, program_end, kernel_sp);
}

void __wrap_record_end(void)
{
    __asm__ volatile("cli");
    prepare_program(program_stack + STACK_SIZE);
    __asm__ volatile("movq %%rsp, %0\n\t"
                     "pushq %1; pushq $0; pushq $0x102; pushq %2\n\t" /* TF */
                     "leaq 1f(%%rip), %%rax; pushq %%rax; swapgs; iretq\n"
                     "1: nop; jmp 1b\n"
                     "program_end:"
                     : "=m"(kernel_sp)
                     : "i"(PROGRAM_DATA), "i"(PROGRAM_CODE)
                     : "rax", "memory", "cc");
    say_number(served);
    say(" served, ");
    say_number(astray);
    say(" on another stack\n");
    __real_record_end();
}
