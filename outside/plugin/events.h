/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The events to count and sample: instructions, memory accesses, calls, returns, interrupts; and
 * the window in which their hits count. One caller at a time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "outside/plugin/follow.h"
#include "outside/request.h"

void events_begin(const struct request *request);

void events_slide(uint64_t by);

bool events_watch(void);

/* True if a function of a call event begins at this address in the file. */
bool events_call(uint64_t address);

/* True if there is an event for returns. */
bool events_returns(void);

/* True if there is an event for instructions with a period, or one for some vectors only. */
bool events_instructions(void);
bool events_vectors(void);

/*
 * Takes the samples that are due at `time`, the CPU's instruction count. Returns the time at which
 * it must be called next; the first call may come at any time.
 */
uint64_t events_on_instructions(unsigned cpu, uint64_t time, uint64_t ip);

/* Where accesses to the range around all memory events begin; none before events_begin. */
extern uint64_t events_lowest, events_span;

/* False: no access to `address` hits an event. May be called from any thread. */
static inline bool events_are_near(uint64_t address)
{
    return address - events_lowest <= events_span;
}

/* Report an access, with its time, place and value, and a call of the function at `ip`. */
void events_on_access(unsigned cpu, const struct wire_sample *access);
void events_on_call(unsigned cpu, uint64_t time, uint64_t ip);

/* Reports that the return instruction at `ip` has ended that call. */
void events_on_return(unsigned cpu, uint64_t time, uint64_t ip,
                      const struct follow_returned *returned);

/* True once after a hit of an event that stops. */
bool events_stopped(void);

/*
 * Reports an interrupt or exception whose handler begins at `ip`; vector -1: not known. Must be
 * called after follow_interrupt.
 */
void events_on_interrupt(unsigned cpu, uint64_t time, uint64_t ip, int vector);

/* Reports the hits of each event; `instructions` were executed on all CPUs. */
void events_tell(uint64_t instructions);

/*
 * --- The window in which hits count ---
 *
 * From each entry of one function to the next entry of another, until a stop event ends it for
 * good. It also limits the number of samples.
 */

/* Without `from` the window is open from the beginning. */
void window_begin(const struct request *request);

void window_slide(uint64_t by);

/* True if the instruction at `ip` opens or closes the window. */
bool window_border(uint64_t ip);

/*
 * The instruction at `ip`, a border, is about to run; `instructions` have run before it on all
 * CPUs.
 */
void window_cross(uint64_t ip, uint64_t instructions);

bool window_open(void);

/* True if one more sample may be taken; counts it. */
bool window_takes_sample(void);

/* Closes the window for good. */
void window_end(uint64_t instructions);

/* Returns the instructions executed while the window was open, of `instructions` in all. */
uint64_t window_instructions(uint64_t instructions);

/* Returns the number of samples beyond the limit. */
uint64_t window_left_out(void);
