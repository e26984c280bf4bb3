/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who wakes whom in a trace. Known are the functions that make threads runnable, and those in which
 * threads wait, with an argument of each: a call of the first kind is for the threads that are in a
 * function of the second kind with the same value. If that is one thread, which no CPU runs, an
 * arrow leads to its next run. If there are several, the value does not tell which it is.
 *
 * QEMU 9.2 and later: the value is an argument. Called by outside/plugin/judges.c and trace.c, with
 * the plugin's lock unless a function says otherwise.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "outside/plugin/facts.h"
#include "outside/request.h"

void trace_wakes_begin(const struct request *request);

void trace_wakes_slide(uint64_t by);

/* Registers the instruction's callback, if a function begins there. */
void trace_wakes_watch(const struct instruction *instruction);

/* The call of this number (follow_allocates) returns. False: it is none of a function to wait. */
bool trace_wakes_return(uint64_t number);

/* A CPU runs the thread from now on. */
void trace_wakes_run(uint32_t thread, unsigned cpu, uint64_t now);

/* The machine was reset. */
void trace_wakes_reset(void);
