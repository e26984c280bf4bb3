/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A kernel thread that becomes a program for good, by iretq; the program makes three system calls.
 * True: leaf < sys_write < entry < function < program, three times: no function of the thread.
 */
#include "tests/guests/guest.h"

static uint8_t kernel_stack[8192] __attribute__((aligned(4096)));
static uint8_t user_stack[8192] __attribute__((aligned(4096)));
uint64_t kernel_top = (uint64_t)(kernel_stack + sizeof(kernel_stack)), user_rsp;
volatile uint64_t count;

extern void entry(void), program(void), enter_user(uint64_t ip, uint64_t rsp);
FUNCTION(entry, "mov %rsp, user_rsp; mov kernel_top, %rsp; push %rcx; push %r11; call sys_write\n"
                "pop %r11; pop %rcx; mov user_rsp, %rsp; sysretq");
FUNCTION(enter_user, "push $0x1b; push %rsi; push $2; push $0x23; push %rdi; iretq");
FUNCTION(program, "call function; jmp program");
FUNCTION(function, "syscall; ret");

NOINLINE void leaf(void)
{
    count++;
    KEEP_FRAME();
}

USED NOINLINE void sys_write(void)
{
    leaf();
    if (count == 3)
        quit();
    KEEP_FRAME();
}

USED NOINLINE void thread_start(void)
{
    enter_user((uint64_t)program, (uint64_t)(user_stack + sizeof(user_stack)));
    KEEP_FRAME();
}

void main(void)
{
    open_memory();
    set_syscall(entry);
    __asm__ volatile("mov kernel_top, %rsp; call thread_start");
    __builtin_unreachable();
}
