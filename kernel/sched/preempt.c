/* SPDX-License-Identifier: BSD-2-Clause */
/* See preempt.h. */
#include "kernel/sched/preempt.h"

static void (*preempt_switch)(void); /* set at boot */

void preempt_set_switch(void (*switch_now)(void))
{
    preempt_switch = switch_now;
}

/*
 * Code that turned interrupts off is not preempted: the switch stays pending until the next
 * interrupt exit, or the next preempt_on with interrupts on.
 */
void preempt_now(void)
{
    if (preempt_switch && arch_irq_on())
        preempt_switch();
}
