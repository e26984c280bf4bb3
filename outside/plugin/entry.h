/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tells interrupts and exceptions from jumps: QEMU (before 10.2) reports none of them, so a block
 * that the last one cannot lead to is the entry of one. After an instruction that may lead
 * anywhere (a jump by a register) only a block that has been such an entry before is one.
 * A block may begin inside the last one: QEMU cuts blocks at a page's end, and anew at an
 * instruction that reaches a device. One caller at a time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "outside/plugin/decode.h"

/* Code that runs from its first instruction to its last, unless that traps. */
struct block {
    uint64_t start, last, end; /* its first instruction, its last, and what follows */
    uint64_t target;           /* of the last one, if it has one */
    enum decoded ends;         /* what the last one is */
    uint32_t count;            /* of instructions */
    bool kernel;               /* it is code of the kernel's file */
    bool plain;                /* it leads to `end` or `target` alone, and nothing is to be done */
    bool pushes;               /* one of them has written where the return at its end reads */
};

bool entry_is_plain(const struct block *block);

/*
 * Whether such an instruction, which may lead anywhere, tells when it begins. Where code continues
 * does not tell whether it has: an interrupt may come upon the caller as well as the returning
 * function. A call tells by what it stores.
 */
bool entry_is_told(enum decoded ends);

/*
 * A block that ends in one of those has trapped before it, and a handler begins. `left`, here and
 * below: the call at the block's end has been made, or one of those has begun.
 */
bool entry_trapped(const struct block *last, uint64_t start, bool left);

/*
 * If not. `next`: where the return that ends `last` continues, if it is the end of the innermost
 * call; 0: not known. A return that nothing was pushed for can go nowhere else.
 */
bool entry_came(const struct block *last, uint64_t start, uint64_t next);

/*
 * Whether the last instruction of `last` is an indirect jump or call that led there: what there is
 * to know of it is known. Without a lock.
 */
bool entry_is_led_to(const struct block *last, uint64_t start, bool left);

/*
 * No interrupt came; whether the last instruction of `last` has run. If not, its block begins anew,
 * or was cut.
 */
bool entry_reached_end(const struct block *last, uint64_t start, bool left);

/* The last instruction before an entry that came after this block. */
uint64_t entry_site(const struct block *last, bool left);
