/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Call chains to unwind, of functions whose frames vary like a kernel's: none to six registers
 * saved, none to 400 bytes of locals. One source (chain.c) is built three times: `plain` without
 * frame pointers, with as many table rows per KiB of text as Linux has; `framed`, the same with
 * frame pointers; `dense`, like plain, but with functions that do nothing but call, so that rows
 * are as close together as possible. All are in the section `chain_text`, together with the routine
 * below them (outermost.asm); tools/orcgen makes the table for that section.
 */
#pragma once

#include <stdint.h>

#include "arch/regs.h"

#define CHAIN_DEPTH_MOST 64
#define CHAIN_FRAMES     (CHAIN_DEPTH_MOST + 2) /* the bottom's own, and the outermost one's */

struct chain;

/*
 * Called at the bottom of a chain. `regs` is a snapshot of the calling function, whose ip is the
 * first frame.
 */
typedef void chain_work(struct chain *chain, const struct regs *regs);
typedef void chain_function(struct chain *chain, unsigned left);

struct chain {
    chain_work *work;
    void *context; /* for `work` */
    chain_function
        *next[CHAIN_DEPTH_MOST + 1]; /* [left]: called by the function with this many left */
    /*
     * Each function's return address, which it reads off the stack itself: what every unwinder must
     * find. The bottom's is returned[0].
     */
    uint64_t returned[CHAIN_DEPTH_MOST + 1];
};

/* Calls `depth` functions, each from the previous one, and `work` at the bottom. */
typedef void chain_run(struct chain *chain, unsigned depth);
chain_run chain_plain, chain_framed, chain_dense;

/* outermost.asm: calls function(chain, left); unwinding by any method ends here. */
void chain_outermost(chain_function *function, struct chain *chain, unsigned left);
