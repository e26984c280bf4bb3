/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What other CPUs do with the bytes at which a CPU is stopped, and what comes of it: which of them
 * met it, and, from what both access next, whether a value was lost or half of one seen. Called by
 * race.c with the plugin's lock, unless a function says otherwise.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "outside/plugin/race_recent.h"

/* `cpus`: the most that the machine may have. False: no memory. */
bool race_meet_begin(unsigned cpus);

/* The CPU stops just after this access. False: it does not, as the access is to a device. */
bool race_meet_stop(unsigned cpu, const struct race_access *access);

/* ... and continues. */
void race_meet_continue(unsigned cpu);

/* False: no CPU is stopped at these bytes. Needs no lock. */
bool race_meet_is_near(uint64_t address);

/* True if the CPU's next accesses are of interest: it was met, or has met. Needs no lock. */
bool race_meet_is_watched(unsigned cpu);

/* An access near one at which a CPU is stopped; any access of a CPU that is watched. */
void race_meet_near(unsigned cpu, const struct race_access *access);
void race_meet_watched(unsigned cpu, const struct race_access *access);

/* True if the CPU runs what it was stopped in, and no handler above that. */
bool race_meet_is_at(unsigned cpu);

/*
 * For interrupts (race_interrupt.h): the handler of one that has come after a stop meets the CPU,
 * until it returns. True of an access to the bytes of the stop; and if the handler still runs.
 */
bool race_meet_is_own(unsigned cpu, const struct race_access *access);
bool race_meet_is_within(unsigned cpu);
void race_meet_interrupt(unsigned cpu);
void race_meet_return(unsigned cpu);

/* No more is to come. */
void race_meet_end(void);
