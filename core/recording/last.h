/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The last boot's recording, which a reset has left in memory: found at boot, copied, and read as
 * any other (`perf report --last-boot`). Firmware and loaders may have written over any of it: what
 * cannot be true is refused or left out, and counted.
 */
#pragma once

#include <stdbool.h>

#include "core/ring/ring.h"
#include "core/sample/records.h"

/*
 * Looks for it, copies it and says on the console what was found; `rings` is what lies where the
 * last boot's rings were, ARCH_CPUS_MAX of them, all zero when it returns. Boot, once, for
 * core/recording/recording.c.
 */
void last_find(struct ring *rings);

/*
 * Its records, from the oldest on; NULL: there is none, and last_missing says why. From here on
 * threads bear the names that they had then, until last_hide. Task context, one reader at a time.
 */
struct record_source *last_source(void);
const char *last_missing(void);
void last_hide(void);

/* Whether the last boot's are meant by comm_of and user_place_find. Any context. */
bool last_shown(void);
