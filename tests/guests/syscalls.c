/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two user mode threads with a kernel stack each, and the usual system call entry: swapgs, then rsp
 * from this CPU's data. sys_yield switches threads. True: a_leaf < sys_a < sys < entry < user_a and
 * b_leaf < sys_b < sys < entry < user_b; two threads with names; no interrupt.
 */
#include "tests/guests/guest.h"

static uint8_t kernel_stacks[4][8192] __attribute__((aligned(4096)));
static uint8_t user_stacks[2][8192] __attribute__((aligned(4096)));
struct {
    uint64_t kernel_rsp, user_rsp;
} this_cpu;
static uint64_t *saved[3], tops[2];
static int current;
volatile uint64_t a_count, b_count;

extern void entry(void), user_a(void), user_b(void);
extern void enter_user(uint64_t ip, uint64_t rsp), switch_to(uint64_t **from, uint64_t *to);
FUNCTION(entry, "swapgs; mov %rsp, %gs:8; mov %gs:0, %rsp; push %gs:8; push %rcx; push %r11\n"
                "mov %rax, %rdi; call sys; pop %r11; pop %rcx; pop %rsp; swapgs; sysretq");
FUNCTION(enter_user, "mov %rdi, %rcx; mov $2, %r11d; mov %rsi, %rsp; swapgs; sysretq");
FUNCTION(switch_to, PUSH_SAVED "mov %rsp, (%rdi); mov %rsi, %rsp\n" POP_SAVED "ret");
FUNCTION(user_a, "mov $0, %eax; syscall; jmp user_a");
FUNCTION(user_b, "mov $1, %eax; syscall; jmp user_b");

NOINLINE void a_leaf(void)
{
    a_count++;
    KEEP_FRAME();
}

NOINLINE void b_leaf(void)
{
    b_count++;
    KEEP_FRAME();
}

NOINLINE void sys_yield(void)
{
    int from = current;

    current ^= 1;
    this_cpu.kernel_rsp = tops[current];
    switch_to(&saved[from], saved[current]);
    KEEP_FRAME();
}

NOINLINE void sys_a(void)
{
    a_leaf();
    sys_yield();
    a_leaf();
    KEEP_FRAME();
}

NOINLINE void sys_b(void)
{
    if (b_count == 12)
        quit();
    b_leaf();
    sys_yield();
    b_leaf();
    KEEP_FRAME();
}

USED NOINLINE void sys(uint64_t number)
{
    if (number)
        sys_b();
    else
        sys_a();
    KEEP_FRAME();
}

static void start_a(void)
{
    enter_user((uint64_t)user_a, (uint64_t)user_stacks[0] + sizeof(user_stacks[0]));
}

static void start_b(void)
{
    enter_user((uint64_t)user_b, (uint64_t)user_stacks[1] + sizeof(user_stacks[1]));
}

static uint64_t *make(uint64_t top, void (*function)(void))
{
    uint64_t *stack = (uint64_t *)top;

    *--stack = 0;
    *--stack = (uint64_t)function;
    for (int i = 0; i < 6; i++)
        *--stack = 0;
    return stack;
}

void main(void)
{
    open_memory();
    set_syscall(entry);
    write_msr(0xc0000101, (uint64_t)&this_cpu); /* GS base */
    write_msr(0xc0000102, 0);
    tops[0] = (uint64_t)kernel_stacks[1];
    tops[1] = (uint64_t)kernel_stacks[3];
    saved[0] = make(tops[0], start_a);
    saved[1] = make(tops[1], start_b);
    this_cpu.kernel_rsp = tops[0];
    switch_to(&saved[2], saved[0]);
}
