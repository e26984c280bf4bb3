/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The cause of the seeded bug: a request's owner frees its memory without cancelling its timer. The
 * timer's function later writes to the next owner's memory, in interrupt context.
 */
#include <linux/errno.h>
#include <stddef.h>

#include "kernel/fs/visible.h"
#include "kernel/seeded/block.h"
#include "kernel/time/ticks.h"
#include "kernel/time/timer.h"

#define TIMEOUT_NS (10 * TICK_NS)

/* Not in the block, so that the bug damages an account and not the list of timers. */
static struct timer timeout;

/* Runs in interrupt context. */
VISIBLE static void request_expire(void *data)
{
    struct request *request = data;

    request->result = -ETIMEDOUT;
}

int request_serve(uint64_t number)
{
    union block *block = shared_alloc();

    if (block == NULL)
        return -ENOMEM;
    timer_cancel(&timeout); /* may be pending after a run that ^C interrupted */
    timeout.function = request_expire;
    timeout.data = &block->request;
    timer_start(&timeout, TIMEOUT_NS, 0);
    block->request.number = number;
    block->request.result = 0;
    shared_free(block); /* the bug: timer_cancel(&timeout) is missing */
    return 0;
}
