/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Call chains to be unwound, of functions whose frames are as different as a kernel's: nothing to
 * six registers saved, nothing to 400 bytes of locals. One source (chain.c), built three times:
 * `plain` without frame pointers, with as many table rows per KiB of text as Linux has; `framed`
 * the same with frame pointers; `dense` as plain, but of functions that do nothing but call, which
 * makes for rows as close together as they get. All lie, with the routine below them
 * (outermost.asm), in the section `chain_text`, which tools/orcgen makes the table of.
 */
#pragma once

#include <stdint.h>

#include "arch/x86_64/cpu/regs.h"

#define CHAIN_DEPTH_MOST 64
#define CHAIN_FRAMES     (CHAIN_DEPTH_MOST + 2) /* the bottom's own, and the outermost one's */

struct chain;

/*
 * Called at the bottom of a chain. `regs` is a snapshot of the function that calls it: its ip is
 * the first frame.
 */
typedef void chain_work(struct chain *chain, const struct regs *regs);
typedef void chain_function(struct chain *chain, unsigned left);

struct chain {
    chain_work *work;
    void *context; /* for work */
    chain_function
        *next[CHAIN_DEPTH_MOST + 1]; /* [left]: called by the function with so many left */
    /*
     * Each function's return address, read by itself off the stack: what every unwinder has to
     * find. The bottom's is returned[0].
     */
    uint64_t returned[CHAIN_DEPTH_MOST + 1];
};

/* Calls `depth` functions, each the next, and `work` at their bottom. */
typedef void chain_run(struct chain *chain, unsigned depth);
chain_run chain_plain, chain_framed, chain_dense;

/* outermost.asm: calls function(chain, left); unwinding ends here, in every way there is. */
void chain_outermost(chain_function *function, struct chain *chain, unsigned left);
