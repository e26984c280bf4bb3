/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Level 5, gdb, on its own serial line, which the timer's interrupt polls. gdb sees a fatal trap
 * first. This kernel waits for gdb before its work.
 */
#include "ports/c/kernel.h"

#include "pitot.h"

#define COM3       0x3e8
#define HAS_A_BYTE 1

int gdb_get(void)
{
    return port_read(COM3 + 5) & HAS_A_BYTE ? port_read(COM3) : -1;
}

void gdb_put(uint8_t byte)
{
    serial_write(COM3, &byte, 1);
}

const char *gdb_begin(void)
{
    const char *wrong = pitot_gdb_start();

    if (wrong)
        return wrong;
    say("gdb may come\n");
    return pitot_gdb_wait();
}

void gdb_look(struct trap_frame *f)
{
    struct pitot_regs r = {f->r15, f->r14, f->r13, f->r12,   f->bp, f->bx, f->r11, f->r10,
                           f->r9,  f->r8,  f->ax,  f->cx,    f->dx, f->si, f->di,  0,
                           0,      f->ip,  f->cs,  f->flags, f->sp, f->ss};

    if (f->vector != TIMER_VECTOR)
        pitot_gdb_stop(&r);
    else if (pitot_gdb_poll(&r))
        *f = (struct trap_frame){r.r15, r.r14, r.r13, r.r12,   r.r11, r.r10, r.r9, r.r8,
                                 r.bp,  r.di,  r.si,  r.dx,    r.cx,  r.bx,  r.ax, f->vector,
                                 0,     r.ip,  r.cs,  r.flags, r.sp,  r.ss};
}
