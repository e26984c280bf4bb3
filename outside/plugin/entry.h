/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Distinguishes interrupts and exceptions from jumps. QEMU before 10.2 does not report them, so a
 * block that the previous block cannot lead to is the entry of a handler. After an instruction that
 * may lead anywhere (a jump through a register), a block is an entry only if it has been one
 * before. A block may begin inside the previous one: QEMU ends blocks at page ends, and begins a
 * new block at an instruction that accesses a device. One caller at a time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "outside/plugin/decode.h"

/* Code that runs from its first instruction to its last, unless one traps. */
struct block {
    uint64_t start, last, end; /* first and last instruction, and the byte after it */
    uint64_t target;           /* of the last instruction, if it has one */
    enum decoded ends;         /* kind of the last instruction */
    uint32_t count;            /* instructions */
    bool kernel;               /* code of the kernel's file */
    bool plain;                /* leads only to `end` or `target`, and needs no action */
    bool pushes;               /* an instruction wrote where the return at the end reads */
};

bool entry_is_plain(const struct block *block);

/*
 * True if such an instruction, which may lead anywhere, needs a callback when it begins: where code
 * continues does not show whether it ran, as an interrupt may come in the caller as well as in the
 * returning function. A call needs none, as its store shows that it ran.
 */
bool entry_is_told(enum decoded ends);

/*
 * True if a block that ends in such an instruction has trapped before it, and a handler begins.
 * `left`, here and below: the call at the block's end was made, or such an instruction has begun.
 */
bool entry_trapped(const struct block *last, uint64_t start, bool left);

/*
 * If entry_trapped is false: true if a handler begins at `start`. `next`: where the return at the
 * end of `last` continues if it ends the innermost call; 0: not known. A return without a push
 * before it can continue only there.
 */
bool entry_came(const struct block *last, uint64_t start, uint64_t next);

/*
 * True if `last` ends in an indirect jump or call that led to `start`: nothing remains to be
 * followed. Needs no lock.
 */
bool entry_is_led_to(const struct block *last, uint64_t start, bool left);

/*
 * If no interrupt came: true if the last instruction of `last` has run. Otherwise its block was
 * restarted or split.
 */
bool entry_reached_end(const struct block *last, uint64_t start, bool left);

/*
 * The interrupted place if a handler began after this block: its last instruction, or the target of
 * the jump or call at its end if that has run.
 */
uint64_t entry_site(const struct block *last, bool left);
