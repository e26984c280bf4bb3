/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The last boot's recording, which a reset has left in memory (`perf report --last-boot`). Firmware
 * and loaders may have overwritten any of it: invalid data is refused, or skipped and counted.
 */
#pragma once

#include <stdbool.h>

#include "core/ring/ring.h"
#include "core/sample/records.h"

/*
 * Finds and copies the recording, and reports the result on the console. `rings`: the last boot's
 * ARCH_CPUS_MAX rings; all zero on return. Called once at boot by recording.c.
 */
void last_find(struct ring *rings);

/*
 * Returns the records, oldest first; or NULL if there is no recording, and last_missing then
 * returns the reason. Until last_hide, comm_of returns the last boot's names. Task context, one
 * reader at a time.
 */
struct record_source *last_source(void);
const char *last_missing(void);
void last_hide(void);

/* True while comm_of and user_place_find refer to the last boot. Any context. */
bool last_shown(void);
