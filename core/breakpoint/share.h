/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Determines the owners of a hit if a register watches different accesses for several breakpoints,
 * or if the machine reports only one register and the instruction may have hit others. See
 * docs/breakpoints.md, "Whose hit it was". Debug trap: as breakpoint_hit.
 */
#pragma once

#include "core/breakpoint/breakpoint.h"

/* Called instead of reporting the hit to all owners of `fired`. */
void breakpoint_share(unsigned fired, struct regs *regs);

enum share { SHARE_NOT, SHARE_HIT, SHARE_DOUBTFUL };

struct share_evidence {
    struct arch_candidate candidates[ARCH_CANDIDATES_MAX]; /* one of these was the instruction */
    unsigned count;                                        /* 0: the instruction is unknown */
    uint64_t changed; /* old ^ new of the word; 0 if that proves nothing */
    bool group;       /* the trap may report several iterations of a repeated instruction */
};

/* Whether `part` was hit. `watch`: the reported register's, if it contains `part`; or NULL. */
enum share breakpoint_share_of(const struct arch_watch *part, const struct arch_watch *watch,
                               const struct share_evidence *evidence);
