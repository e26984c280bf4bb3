/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A handler directly behind the `jmp .` that it interrupts, so that the next address does not
 * reveal the interrupt. True: 50 interrupts, vector 32; leaf < handler < idle < main, 50 times.
 */
#include "tests/guests/guest.h"

volatile uint64_t ticks, count;

extern void idle(void), handler(void);
__asm__(".globl idle, handler\n.type idle,@function\n.type handler,@function\n"
        "idle: sti; jmp .\n.size idle, . - idle\n"
        "handler: push %rax; incq ticks; mov $0x20, %al; out %al, $0x20; call leaf\n"
        "cmpq $50, ticks; je quit; pop %rax; iretq\n.size handler, . - handler");

NOINLINE void leaf(void)
{
    count++;
}

void main(void)
{
    set_gate(32, handler, 0);
    start_timer(1193);
    idle();
    quit();
}
