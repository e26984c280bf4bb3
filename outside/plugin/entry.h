/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Distinguishes interrupts and exceptions from jumps. QEMU before 10.2 does not report them, so a
 * block that the previous block cannot lead to is a handler's entry. After an instruction that may
 * lead anywhere (a jump through a register), only a block that was an entry before is one again. A
 * block may begin inside the previous one: QEMU ends blocks at page ends, and begins one at an
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
 * True if such an instruction, which may lead anywhere, needs a callback when it begins: where code
 * continues does not show whether it ran, because an interrupt may come in the caller or in the
 * returning function. A call needs none, because its store shows that it ran.
 */
bool entry_is_told(enum decoded ends);

/*
 * True if a block that ends in such an instruction trapped before it, and a handler begins. `left`,
 * here and below: the call at the end was made, or such an instruction has begun.
 */
bool entry_trapped(const struct block *last, uint64_t start, bool left);

/*
 * If entry_trapped is false: true if a handler begins at `start`. `next`: the return address of the
 * innermost call, if `last` ends in a return; 0: not known. Without a push before it a return can
 * continue only there.
 */
bool entry_came(const struct block *last, uint64_t start, uint64_t next);

/* True if `last` ends in an indirect jump or call to `start`: nothing else to follow. No lock. */
bool entry_is_led_to(const struct block *last, uint64_t start, bool left);

/* If no interrupt came: false if the block was restarted or split before its last instruction. */
bool entry_reached_end(const struct block *last, uint64_t start, bool left);

/*
 * Where a handler interrupted this block: at its last instruction, or at the target of the jump or
 * call at its end if that has run.
 */
uint64_t entry_site(const struct block *last, bool left);
