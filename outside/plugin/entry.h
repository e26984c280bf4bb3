/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Distinguishes interrupts and exceptions from jumps. QEMU before 10.2 does not report them, so a
 * block that the previous block cannot lead to is a handler's entry. After an instruction that may
 * lead anywhere (a jump through a register), a block is an entry only if it was one before. A block
 * may begin inside the previous one: QEMU ends blocks at page ends, and begins one at an
 * instruction that accesses a device. One caller at a time.
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
    bool pushes;               /* an instruction wrote the slot that the final return reads */
};

bool entry_is_plain(const struct block *block);

/*
 * True if an instruction of this kind may lead anywhere, and needs a callback when it begins: the
 * address where code continues does not show whether it ran, because an interrupt may come just
 * before or just after it. An indirect call needs no callback, because its store shows that it ran.
 */
bool entry_is_told(enum decoded ends);

/*
 * True if a handler begins at `start` because `last` trapped before its last instruction, for which
 * entry_is_told is true. `left`, here and below: the call at the end of `last` was made, or its
 * entry_is_told instruction has begun.
 */
bool entry_trapped(const struct block *last, uint64_t start, bool left);

/*
 * For use if entry_trapped is false. True if a handler begins at `start`. `next`: if `last` ends in
 * a return, the return address of the innermost call; 0: not known. A return with no push before it
 * in its block can continue only there.
 */
bool entry_came(const struct block *last, uint64_t start, uint64_t next);

/*
 * True if `last` ends in an indirect jump or call that has led to `start`, so there is nothing else
 * to follow. Needs no lock.
 */
bool entry_is_led_to(const struct block *last, uint64_t start, bool left);

/*
 * For use if no interrupt came. False if the block was restarted or split before its last
 * instruction.
 */
bool entry_reached_end(const struct block *last, uint64_t start, bool left);

/*
 * Returns where a handler interrupted this block: at its last instruction, or, if that is a direct
 * jump or call that has run, at its target.
 */
uint64_t entry_site(const struct block *last, bool left);
