/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Exceptions in handlers: the timer (on IST 1) executes ud2 (IST 2), whose handler touches an
 * absent page (IST 3), whose handler executes int3 (on the same stack); and single steps (IST 4).
 * The stacks of 4 KiB are adjacent. True: 200 of each, 50 steps: 850 interrupts; each chain ends in
 * main.
 */
#include "tests/guests/guest.h"

#define ROUNDS 200
#define ABSENT 200ul /* a page of 2 MiB */

static uint8_t stacks[4][4096] __attribute__((aligned(4096)));
static struct tss tss;
volatile uint64_t ticks, steps, count;

NOINLINE void leaf(void)
{
    count++;
    KEEP_FRAME();
}

#define HANDLER(name, error_size)                                                                  \
    extern void name##_entry(void);                                                                \
    FUNCTION(name##_entry, "push %rax; push %rcx; push %rdx; push %rsi; push %rdi; push %r8\n"     \
                           "push %r9; push %r10; push %r11; cld; lea 72(%rsp), %rdi; call " #name  \
                           "\npop %r11; pop %r10; pop %r9; pop %r8; pop %rdi; pop %rsi\n"          \
                           "pop %rdx; pop %rcx; pop %rax; add $" #error_size ", %rsp; iretq")

HANDLER(breakpoint, 0);
USED NOINLINE void breakpoint(void)
{
    leaf();
    KEEP_FRAME();
}

HANDLER(page_fault, 8);
USED NOINLINE void page_fault(void)
{
    pd[ABSENT] = 0x83 | ABSENT << 21;
    __asm__ volatile("int3");
    leaf();
    KEEP_FRAME();
}

NOINLINE void touch(void)
{
    pd[ABSENT] = 0;
    __asm__ volatile("invlpg (%0)" ::"r"(ABSENT << 21) : "memory");
    (*(volatile uint64_t *)(ABSENT << 21))++;
    leaf();
    KEEP_FRAME();
}

HANDLER(undefined, 0);
USED NOINLINE void undefined(uint64_t *frame)
{
    frame[0] += 2;
    touch();
    leaf();
    KEEP_FRAME();
}

HANDLER(timer, 0);
USED NOINLINE void timer(void)
{
    ticks++;
    out(0x20, 0x20);
    __asm__ volatile("ud2");
    leaf();
    if (ticks == ROUNDS)
        quit();
    KEEP_FRAME();
}

HANDLER(debug, 0);
USED NOINLINE void debug(uint64_t *frame)
{
    if (++steps % 5 == 0)
        frame[2] &= ~0x100ul; /* rflags.TF */
    leaf();
    KEEP_FRAME();
}

NOINLINE void step(void)
{
    __asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq; nop; nop; nop; nop; nop; nop" ::
                         : "memory");
    leaf();
    KEEP_FRAME();
}

void main(void)
{
    for (int i = 0; i < 4; i++)
        tss.ist[i] = (uint64_t)stacks[i] + sizeof(stacks[i]);
    load_tss(&tss);
    set_gate(32, timer_entry, 1);
    set_gate(6, undefined_entry, 2);
    set_gate(14, page_fault_entry, 3);
    set_gate(3, breakpoint_entry, 0);
    set_gate(1, debug_entry, 4);
    for (int i = 0; i < 10; i++)
        step();
    start_timer(1193);
    __asm__ volatile("sti");
    for (;;) {
        leaf();
        KEEP_FRAME();
    }
}
