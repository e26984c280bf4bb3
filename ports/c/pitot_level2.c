/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Level 2, breakpoints and the clock: reports mapped memory and timer interrupts. The gate of debug
 * traps is in the IDT (cpu.c).
 */
#include "ports/c/kernel.h"

#include "pitot.h"

int is_mapped(uint64_t address, uint64_t length)
{
    return address >= (uint64_t)image_start && address + length <= (uint64_t)image_end;
}

void clock_tick(const struct trap_frame *f)
{
    struct pitot_regs regs = {f->r15, f->r14, f->r13, f->r12,   f->bp, f->bx, f->r11, f->r10,
                              f->r9,  f->r8,  f->ax,  f->cx,    f->dx, f->si, f->di,  0,
                              0,      f->ip,  f->cs,  f->flags, f->sp, f->ss};

    pitot_tick(&regs);
}
