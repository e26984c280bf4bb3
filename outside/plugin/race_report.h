/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The races that were seen. Those of the same two instructions are one, with a count and the worst
 * that has come of it. They are told at the end: only then is known what synchronises. Called by
 * outside/plugin/race.c, with the plugin's lock.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "outside/wire.h"

/* False: no memory. */
bool race_report_begin(void);

/* `then`: as in struct wire_race. */
void race_report(enum wire_race_kind kind, const struct wire_race_side *stopped,
                 const struct wire_race_side *other, uint64_t then);

/* A CPU is stopped, at an instruction where none was before if `first`. */
void race_report_stop(bool first);

/* It continues; others ran meanwhile if `ran`. */
void race_report_continue(bool ran);

/* An interrupt has come just after a stop. */
void race_report_interrupt(void);

/* At the end. */
void race_report_tell(void);
