/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The way of a recording from the rings into the machine's stream: while it runs, by a thread of
 * its own, where the stream has a port and the rings are not in overwrite mode; else when it has
 * ended, or was ended by its trigger; or in a panic. docs/drain.md tells why it is so.
 *
 * What the thread raises itself is counted by the events, not recorded (core/event/event.h): else
 * it would feed itself.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Makes the thread, if the stream has a port. Boot, once threads run. */
void drain_init(void);

/* A recording has started. Task context. */
void drain_start(void);

/*
 * It has stopped: returns when all of it has left. Where a thread streams, `progress` is called
 * about once a second until then, with the bytes of the rings that have left and their sum; it may
 * be NULL. Task context.
 */
void drain_finish(void (*progress)(unsigned long done, unsigned long total));

/* Looks whether the thread has something to do. The tick: interrupt context. */
void drain_tick(void);

/*
 * Everything that has not left yet, from wherever the thread was, if there is a recording that has
 * not been handed over. The rings are frozen. Panic context.
 */
void drain_crash(void);

/*
 * Records that were given back to the writers once they had left: they are in the stream, and can
 * no longer be read here.
 */
uint64_t drain_given_back(void);
