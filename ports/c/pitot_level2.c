/* SPDX-License-Identifier: BSD-2-Clause */
/* Level 2, breakpoints: debug traps go to Pitot first, and it is told what memory is there. */
#include "ports/c/kernel.h"

#include "core/pitot.h"

int pitot_host_mapped(unsigned long address, unsigned long length)
{
    return address >= (unsigned long)image_start && address + length <= (unsigned long)image_end;
}

GATE int debug_trap(struct trap_frame *f)
{
    struct pitot_regs regs = {f->r15, f->r14, f->r13, f->r12,   f->bp, f->bx, f->r11, f->r10,
                              f->r9,  f->r8,  f->ax,  f->cx,    f->dx, f->si, f->di,  0,
                              0,      f->ip,  f->cs,  f->flags, f->sp, f->ss};
    int ours = pitot_debug_trap(&regs);

    f->flags = regs.flags;
    return ours;
}
