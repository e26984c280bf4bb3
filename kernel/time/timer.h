/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Timers: a function called once, or again and again, when its time has come. The tick looks for
 * them, so a tick is the grain: never early, up to a tick late. Functions run in interrupt context,
 * in the order of their times (equal ones in the order of timer_start), on the CPU that started
 * them; they may start and cancel timers, wake and queue work, but not sleep.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Fill function and data; the rest is 0 at first, and kernel/time/timer.c's. */
struct timer {
    void (*function)(void *data);
    void *data;

    /* Covered by the lock of the CPU's list. */
    struct timer *next;
    uint64_t due_ns;    /* of arch_clock_ns */
    uint64_t period_ns; /* 0: once */
    uint32_t cpu;       /* the CPU with the list that it was put in last */
    bool waits;         /* it is in that list */
};

/*
 * `delay_ns` from now, and then every `period_ns` unless that is 0; periods that passed unseen
 * (interrupts were off for so long) are left out, not made up for. The timer is not waiting. Task
 * and interrupt context.
 */
void timer_start(struct timer *timer, uint64_t delay_ns, uint64_t period_ns);

/*
 * Afterwards its function neither runs nor will, unless it is the function itself that asks. True
 * if the timer was waiting. Task context, or a timer's function on this CPU.
 */
bool timer_cancel(struct timer *timer);

/* Runs what is due. The tick: interrupt context. */
void timers_run(void);
