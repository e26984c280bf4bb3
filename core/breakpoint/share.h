/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Determines which breakpoints a hit belongs to when a register watches different accesses for
 * several breakpoints, or when the machine reports only one register and the same instruction may
 * have hit others. See docs/breakpoints.md, "Whose hit it was". Debug trap: as breakpoint_hit.
 */
#pragma once

#include "core/breakpoint/breakpoint.h"

/* Called instead of reporting the hit to all owners of `fired`. */
void breakpoint_share(unsigned fired, struct regs *regs);

enum share { SHARE_NOT, SHARE_HIT, SHARE_DOUBTFUL };

/* Evidence about the instruction that hit, and about what it changed. */
struct share_evidence {
    struct arch_candidate candidates[ARCH_CANDIDATES_MAX]; /* one of these was the instruction */
    unsigned count;                                        /* 0: the instruction is unknown */
    uint64_t changed; /* old ^ new of the word; 0 if that proves nothing */
    bool group;       /* the trap may report several iterations of a repeated instruction */
};

/*
 * Decides whether the instruction hit `part`. `watch` is what the reported register watches, if
 * that contains `part`; NULL if no reported register contains it.
 */
enum share breakpoint_share_of(const struct arch_watch *part, const struct arch_watch *watch,
                               const struct share_evidence *evidence);
