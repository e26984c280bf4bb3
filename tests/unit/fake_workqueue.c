/* SPDX-License-Identifier: BSD-2-Clause */
/* kernel/sched/workqueue.h for host tests: deferred work runs at once. */
#include "kernel/sched/workqueue.h"

bool work_queue(struct work *work)
{
    work->function(work);
    return true;
}

void work_flush(void)
{
}
