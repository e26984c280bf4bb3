/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scheduler's word to kernel/sched/thread.c that a thread has ended: called once for each, by
 * the thread that runs next, interrupts off, with no spinlock held.
 */
#pragma once

#include "kernel/sched/thread.h"

void thread_ended(struct thread *thread);
