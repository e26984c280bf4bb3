/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Assigns debug registers to the parts of breakpoints (core/breakpoint/table.h). Called by table.c
 * in task context, with all CPUs parked.
 */
#include "core/breakpoint/table.h"

#include "core/lib/assert.h"
#include "core/lib/string.h"

#define WORD 8 /* bytes of the widest register */

bool breakpoint_target_is_kernel(const struct breakpoint_target *target)
{
    return !target->program && target->pid == 0;
}

/* Each part is the largest aligned power of two, up to WORD, that begins there and fits. */
struct breakpoint_parts breakpoint_split(const struct breakpoint *breakpoint)
{
    struct breakpoint_parts parts = {.count = 0};
    uintptr_t at = breakpoint->address, end = at + breakpoint->length;

    while (at < end) {
        uint8_t length = WORD;

        while (length > end - at || at % length)
            length /= 2;
        assert(parts.count < BREAKPOINT_PARTS_MAX);
        parts.part[parts.count++] = (struct breakpoint_range){
            .watch = {at, length, breakpoint->access}, .target = &breakpoint->target};
        at += length;
    }
    return parts;
}

bool breakpoint_watch_covers(const struct arch_watch *outer, const struct arch_watch *inner)
{
    return outer->address <= inner->address &&
           inner->address + inner->length <= outer->address + outer->length;
}

bool breakpoint_watch_equal(const struct arch_watch *left, const struct arch_watch *right)
{
    return left->address == right->address && left->length == right->length &&
           left->access == right->access;
}

static bool is_equal(const struct breakpoint_range *left, const struct breakpoint_range *right)
{
    return breakpoint_watch_equal(&left->watch, &right->watch) &&
           left->target->program == right->target->program &&
           left->target->pid == right->target->pid;
}

/* One register may watch both if both are kernel data, where a hit's owner can be determined. */
static bool may_share(const struct breakpoint_range *left, const struct breakpoint_range *right)
{
    return left->watch.access != ARCH_EXECUTE && right->watch.access != ARCH_EXECUTE &&
           breakpoint_target_is_kernel(left->target) && breakpoint_target_is_kernel(right->target);
}

/* The smallest aligned range around both, for the accesses of both. Both lie in one word. */
static struct arch_watch watch_around(const struct arch_watch *left, const struct arch_watch *right)
{
    struct arch_watch around = *left;

    assert(left->address / WORD == right->address / WORD); /* otherwise the loop would not end */
    while (!breakpoint_watch_covers(&around, right)) {
        around.length *= 2;
        around.address &= ~(uintptr_t)(around.length - 1);
    }
    if (right->access == ARCH_READ_WRITE)
        around.access = ARCH_READ_WRITE;
    return around;
}

/* If two ranges overlap, one contains the other, because all are aligned. */
static bool plan_add_part(struct breakpoint_plan *plan, struct breakpoint_range part)
{
    for (unsigned i = 0; i < plan->count;) {
        const struct breakpoint_range *other = &plan->reg[i];
        bool nested =
            may_share(other, &part) && (breakpoint_watch_covers(&other->watch, &part.watch) ||
                                        breakpoint_watch_covers(&part.watch, &other->watch));

        if (!nested && !is_equal(other, &part)) {
            i++;
            continue;
        }
        if (nested)
            part.watch = watch_around(&part.watch, &other->watch);
        plan->count--; /* `part` takes the place of the other range */
        memmove(&plan->reg[i], &plan->reg[i + 1], (plan->count - i) * sizeof(plan->reg[0]));
    }
    if (plan->count == PLAN_MAX)
        return false;
    plan->reg[plan->count++] = part;
    return true;
}

bool breakpoint_plan_add(struct breakpoint_plan *plan, const struct breakpoint *breakpoint)
{
    struct breakpoint_parts parts = breakpoint_split(breakpoint);

    for (unsigned i = 0; i < parts.count; i++)
        if (!plan_add_part(plan, parts.part[i]))
            return false;
    return true;
}

bool breakpoint_parts_may_meet(const struct breakpoint_range *left,
                               const struct breakpoint_range *right)
{
    if (may_share(left, right))
        return left->watch.address / WORD == right->watch.address / WORD;
    return is_equal(left, right);
}

/*
 * Returns how many bytes without an owner a register for both would watch, or WORD if no register
 * can watch both.
 */
static unsigned bytes_between(const struct breakpoint_range *left,
                              const struct breakpoint_range *right)
{
    if (!breakpoint_parts_may_meet(left, right))
        return WORD;
    return watch_around(&left->watch, &right->watch).length - left->watch.length -
           right->watch.length;
}

/*
 * Joins the pair that adds the fewest bytes; of equal pairs, the first. Returns false if no pair
 * can be joined.
 */
static bool plan_join_two(struct breakpoint_plan *plan)
{
    const struct breakpoint_range *end = plan->reg + plan->count, *left = end, *right = end;
    unsigned least = WORD;

    for (const struct breakpoint_range *one = plan->reg; one < end; one++)
        for (const struct breakpoint_range *other = one + 1; other < end; other++)
            if (bytes_between(one, other) < least) {
                least = bytes_between(one, other);
                left = one;
                right = other;
            }
    if (least == WORD)
        return false;
    return plan_add_part(
        plan, (struct breakpoint_range){watch_around(&left->watch, &right->watch), left->target});
}

static bool comes_before(const struct arch_watch *left, const struct arch_watch *right)
{
    if (left->length != right->length)
        return left->length < right->length;
    if (left->access != right->access)
        return left->access < right->access;
    return left->address < right->address;
}

static void plan_sort(struct breakpoint_plan *plan)
{
    for (unsigned end = 1; end < plan->count; end++)
        for (unsigned i = end; i > 0 && comes_before(&plan->reg[i].watch, &plan->reg[i - 1].watch);
             i--) {
            struct breakpoint_range moved = plan->reg[i];

            plan->reg[i] = plan->reg[i - 1];
            plan->reg[i - 1] = moved;
        }
}

void breakpoint_plan_squeeze(struct breakpoint_plan *plan, unsigned most)
{
    /* The result must not depend on the order of installation. */
    plan_sort(plan);
    while (plan->count > most && plan_join_two(plan))
        plan_sort(plan);
}

unsigned breakpoint_plan_find(const struct breakpoint_plan *plan,
                              const struct breakpoint_range *part)
{
    for (unsigned i = 0; i < plan->count; i++) {
        const struct breakpoint_range *reg = &plan->reg[i];

        if (is_equal(reg, part) ||
            (may_share(reg, part) && breakpoint_watch_covers(&reg->watch, &part->watch)))
            return i;
    }
    assert(!"a part is planned for");
    return 0;
}
