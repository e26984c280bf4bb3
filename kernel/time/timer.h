/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Timers: functions called once or periodically by the tick: never early, up to a tick late. They
 * run in interrupt context on the CPU that started them, in the order of their times, then of
 * timer_start. They may start and cancel timers, wake threads and queue work, but not sleep.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The caller sets function and data; the rest is 0 at first and belongs to kernel/time/timer.c. */
struct timer {
    void (*function)(void *data);
    void *data;

    /* Covered by the lock of the CPU's list. */
    struct timer *next;
    uint64_t due_ns;    /* in terms of arch_clock_ns */
    uint64_t period_ns; /* 0: once */
    uint32_t cpu;       /* the CPU in whose list the timer is, or was last */
    bool waits;         /* the timer is in that list */
};

/*
 * Calls the function `delay_ns` from now, then every `period_ns` unless 0; missed periods are
 * skipped. The timer must not be waiting. Task and interrupt context.
 */
void timer_start(struct timer *timer, uint64_t delay_ns, uint64_t period_ns);

/*
 * When this returns, the timer's function is not running and will not run, unless that function is
 * the caller. Returns true if the timer was waiting. Task context, or a timer's function on this
 * CPU.
 */
bool timer_cancel(struct timer *timer);

/* Runs all timers of this CPU that are due. Called by the tick, in interrupt context. */
void timers_run(void);
