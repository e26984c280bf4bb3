/* SPDX-License-Identifier: BSD-2-Clause */
/* See entry.h. */
#include "outside/plugin/entry.h"

#define KNOWN_PLACES 4096 /* for 256 vectors and a few more */

static uint64_t known[KNOWN_PLACES]; /* entries seen, by their hash; 0: none */

static uint64_t *known_place(uint64_t start)
{
    return &known[(start * 0x9e3779b97f4a7c15u) >> 52];
}

static bool leads_anywhere(enum decoded ends)
{
    switch (ends) {
    case DECODED_CALL_FAR:
    case DECODED_JUMP_FAR:
    case DECODED_RETURN:
    case DECODED_SYSCALL:
    case DECODED_SYSRET:
    case DECODED_INTERRUPTS:
    case DECODED_INTERRUPT_RETURN:
        return true;
    default:
        return false;
    }
}

bool entry_is_plain(const struct block *block)
{
    return !leads_anywhere(block->ends);
}

bool entry_is_told(enum decoded ends)
{
    return ends != DECODED_CALL_FAR && leads_anywhere(ends);
}

static bool has_target(const struct block *last)
{
    return last->ends == DECODED_CALL || last->ends == DECODED_JUMP ||
           last->ends == DECODED_JUMP_IF;
}

bool entry_trapped(const struct block *last, uint64_t start, bool left)
{
    if (!entry_is_told(last->ends) || left || (start >= last->start && start <= last->last))
        return false;
    __atomic_store_n(known_place(start), start, __ATOMIC_RELAXED);
    return true;
}

bool entry_came(const struct block *last, uint64_t start, uint64_t next)
{
    if (start >= last->start && start <= last->end)
        return false;
    if (has_target(last) && start == last->target)
        return false;
    if (last->ends == DECODED_RETURN && start == next)
        return false;
    if (leads_anywhere(last->ends) && (last->ends != DECODED_RETURN || last->pushes || !next))
        return last->ends != DECODED_INTERRUPTS && start != 0 && *known_place(start) == start;
    __atomic_store_n(known_place(start), start, __ATOMIC_RELAXED);
    return true;
}

bool entry_is_led_to(const struct block *last, uint64_t start, bool left)
{
    return left && (last->ends == DECODED_CALL_FAR || last->ends == DECODED_JUMP_FAR) &&
           __atomic_load_n(known_place(start), __ATOMIC_RELAXED) != start;
}

bool entry_reached_end(const struct block *last, uint64_t start, bool left)
{
    return entry_is_told(last->ends) ? left : start < last->start || start >= last->end;
}

uint64_t entry_site(const struct block *last, bool left)
{
    if (last->ends == DECODED_JUMP || (last->ends == DECODED_CALL && left))
        return last->target;
    return last->last;
}
