/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scheduler's report to kernel/sched/thread.c that a thread has exited. Called once per thread,
 * by the thread that runs next, interrupts off, with no spinlock held.
 */
#pragma once

#include "kernel/sched/thread.h"

void thread_ended(struct thread *thread);
