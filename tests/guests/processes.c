/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two processes in separate address spaces, with their stacks at the same virtual address, that
 * yield by int 0x80. True: 8 interrupts; leaf < sys_yield < handler < inner_a < outer_a <
 * process_a, and ... < inner_b < process_b, four times each; two address spaces.
 */
#include "tests/guests/guest.h"

#define USER_PAGE 0x40000000ul

static uint8_t kernel_stacks[2][16384] __attribute__((aligned(4096)));
static uint64_t level4[2][512] __attribute__((aligned(4096)));
static uint64_t level3[2][512] __attribute__((aligned(4096)));
static uint64_t level2[2][512] __attribute__((aligned(4096)));
static struct tss tss;
static uint64_t saved[2];
static int current;
volatile uint64_t count, yields;

extern void handler(void), process_a(void), process_b(void), first(uint64_t rsp);
FUNCTION(handler, PUSH_ALL "mov %rsp, %rdi; call sys_yield; mov %rax, %rsp\n"
                           "continue_process:\n" POP_ALL "iretq");
FUNCTION(first, "mov %rdi, %rsp; jmp continue_process");
FUNCTION(process_a, "call outer_a; jmp process_a");
FUNCTION(outer_a, "call inner_a; ret");
FUNCTION(inner_a, "int $0x80; ret");
FUNCTION(process_b, "sub $64, %rsp; call inner_b; add $64, %rsp; jmp process_b");
FUNCTION(inner_b, "int $0x80; ret");

NOINLINE void leaf(void)
{
    count++;
    KEEP_FRAME();
}

USED NOINLINE uint64_t sys_yield(uint64_t rsp)
{
    leaf();
    if (++yields == 8)
        quit();
    saved[current] = rsp;
    current ^= 1;
    tss.rsp[0] = (uint64_t)kernel_stacks[current] + sizeof(kernel_stacks[0]);
    __asm__ volatile("mov %0, %%cr3" ::"r"(level4[current]) : "memory");
    return saved[current];
}

static void make(int process, void (*function)(void), const uint64_t *kernel)
{
    uint64_t *stack = (uint64_t *)(kernel_stacks[process] + sizeof(kernel_stacks[0]));

    level4[process][0] = (uint64_t)level3[process] | 7;
    level3[process][0] = kernel[0] | 4;
    level3[process][1] = (uint64_t)level2[process] | 7;
    level2[process][0] = (0x4000000ul + (uint64_t)process * 0x200000) | 0x87;
    *--stack = 0x1b;
    *--stack = USER_PAGE + 0x10000;
    *--stack = 2;
    *--stack = 0x23;
    *--stack = (uint64_t)function;
    for (int i = 0; i < 15; i++)
        *--stack = 0;
    saved[process] = (uint64_t)stack;
}

void main(void)
{
    const uint64_t *kernel = (uint64_t *)(pml4[0] & ~0xffful);

    for (int i = 0; i < 8; i++)
        pd[i] |= 4;
    make(0, process_a, kernel);
    make(1, process_b, kernel);
    tss.rsp[0] = (uint64_t)kernel_stacks[0] + sizeof(kernel_stacks[0]);
    load_tss(&tss);
    set_gate(0x80, handler, 0);
    idt[0x80].type = 0xee;
    __asm__ volatile("mov %0, %%cr3" ::"r"(level4[0]) : "memory");
    first(saved[0]);
    quit();
}
