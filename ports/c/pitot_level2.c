/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Level 2, breakpoints and the clock: debug traps go to Pitot first, and so do the timer's
 * interrupts, and it is told what memory is there.
 */
#include "ports/c/kernel.h"

#include "core/pitot.h"

int pitot_host_mapped(unsigned long address, unsigned long length)
{
    return address >= (unsigned long)image_start && address + length <= (unsigned long)image_end;
}

GATE static struct pitot_regs regs_of(const struct trap_frame *f)
{
    return (struct pitot_regs){f->r15, f->r14, f->r13, f->r12,   f->bp, f->bx, f->r11, f->r10,
                               f->r9,  f->r8,  f->ax,  f->cx,    f->dx, f->si, f->di,  0,
                               0,      f->ip,  f->cs,  f->flags, f->sp, f->ss};
}

GATE int debug_trap(struct trap_frame *frame)
{
    struct pitot_regs regs = regs_of(frame);
    int ours = pitot_debug_trap(&regs);

    frame->flags = regs.flags;
    return ours;
}

GATE void clock_tick(const struct trap_frame *frame)
{
    struct pitot_regs regs = regs_of(frame);

    pitot_tick(&regs);
}
