/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decides which breakpoints a hit belongs to, if a register watches for several breakpoints that
 * want different accesses, or if the machine reports only one register and the same instruction may
 * have hit others. docs/breakpoints.md, "Whose hit it was". Debug trap: as breakpoint_hit.
 */
#pragma once

#include "core/breakpoint/breakpoint.h"

/* Called instead of telling all owners of `fired`. */
void breakpoint_share(unsigned fired, struct regs *regs);

enum share { SHARE_NOT, SHARE_HIT, SHARE_DOUBTFUL };

/* What is known about the instruction that hit, and about what it has changed. */
struct share_evidence {
    struct arch_candidate candidates[ARCH_CANDIDATES_MAX]; /* one of these was the instruction */
    unsigned count;                                        /* 0: it is not known */
    uint64_t changed; /* old ^ new of the word; 0 if that proves nothing */
    bool group;       /* the trap may report several iterations of a repeated instruction */
};

/*
 * Whether the instruction has hit `part`. `watch`: what the reported register watches, if that
 * contains `part`; NULL if no register that was reported does.
 */
enum share breakpoint_share_of(const struct arch_watch *part, const struct arch_watch *watch,
                               const struct share_evidence *evidence);
