/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Another CPU, or a handler, has accessed what a CPU had when it stopped: what that comes to, by
 * what both access next. Called by race_meet.c, with the plugin's lock.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "outside/plugin/race_recent.h"
#include "outside/wire.h"

struct race_met {
    struct wire_race_side side;
    uint64_t first, end; /* bytes that it accessed meanwhile in a row, those included */
    enum wire_race_kind kind;
    uint64_t then;
    bool seen; /* the stopped CPU has read them since */
};

/* `own`: the access of the CPU that is stopped. */
struct race_met race_met_begin(const struct wire_race_side *own, const struct wire_race_side *side);

/* What is accessed in the same way just beside it is part of what was met. */
void race_met_extend(struct race_met *met, const struct race_access *access);

/* An access of the CPU that was stopped, which continues; `soon`: one of the first. */
void race_met_judge(struct race_met *met, const struct wire_race_side *own,
                    const struct race_access *access, bool soon);
