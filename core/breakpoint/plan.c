/* SPDX-License-Identifier: BSD-2-Clause */
/* See plan.h. Called by table.c in task context, with all CPUs parked. */
#include "core/breakpoint/plan.h"

#include "core/lib/assert.h"
#include "core/lib/string.h"

#define WORD 8 /* bytes of the widest register */

bool breakpoint_target_equal(const struct breakpoint_target *left,
                             const struct breakpoint_target *right)
{
    return left->program == right->program && left->pid == right->pid;
}

bool breakpoint_target_is_kernel(const struct breakpoint_target *target)
{
    return !target->program && target->pid == 0;
}

/* The largest aligned power of two, up to 8, that begins at `address` and fits into `length`. */
static uint8_t part_length(uintptr_t address, size_t length)
{
    uint8_t part = WORD;

    assert(length > 0); /* otherwise no power of two is small enough */
    while (part > length || address % part)
        part /= 2;
    return part;
}

struct breakpoint_parts breakpoint_split(const struct breakpoint *breakpoint)
{
    struct breakpoint_parts parts = {.count = 0};
    uintptr_t at = breakpoint->address, end = at + breakpoint->length;

    while (at < end) {
        uint8_t length = part_length(at, end - at);

        assert(parts.count < BREAKPOINT_PARTS_MAX);
        parts.watch[parts.count++] = (struct arch_watch){at, length, breakpoint->access};
        at += length;
    }
    return parts;
}

static bool covers(const struct arch_watch *outer, const struct arch_watch *inner)
{
    return outer->address <= inner->address &&
           inner->address + inner->length <= outer->address + outer->length;
}

bool breakpoint_watch_equal(const struct arch_watch *left, const struct arch_watch *right)
{
    return left->address == right->address && left->length == right->length &&
           left->access == right->access;
}

/* One register may watch both if both are kernel data, where a hit's owner can be determined. */
static bool may_share(const struct arch_watch *left, const struct breakpoint_target *left_target,
                      const struct arch_watch *right, const struct breakpoint_target *right_target)
{
    return left->access != ARCH_EXECUTE && right->access != ARCH_EXECUTE &&
           breakpoint_target_is_kernel(left_target) && breakpoint_target_is_kernel(right_target);
}

/* The smallest aligned range around both, for the accesses of both. Both lie in one word. */
static struct arch_watch watch_around(const struct arch_watch *left, const struct arch_watch *right)
{
    struct arch_watch around = *left;

    assert(left->address / WORD == right->address / WORD); /* otherwise the loop would not end */
    while (!covers(&around, right)) {
        around.length *= 2;
        around.address &= ~(uintptr_t)(around.length - 1);
    }
    if (right->access == ARCH_READ_WRITE)
        around.access = ARCH_READ_WRITE;
    return around;
}

static void plan_drop(struct breakpoint_plan *plan, unsigned i)
{
    assert(i < plan->count);
    plan->count--;
    memmove(&plan->reg[i], &plan->reg[i + 1], (plan->count - i) * sizeof(plan->reg[0]));
}

/* If two ranges overlap, one contains the other, because all are aligned. */
static bool plan_add_part(struct breakpoint_plan *plan, const struct arch_watch *part,
                          const struct breakpoint_target *target)
{
    struct arch_watch watch = *part;

    for (unsigned i = 0; i < plan->count;) {
        const struct arch_watch *other = &plan->reg[i].watch;
        bool equal = breakpoint_watch_equal(other, &watch) &&
                     breakpoint_target_equal(plan->reg[i].target, target);
        bool nested = may_share(other, plan->reg[i].target, &watch, target) &&
                      (covers(other, &watch) || covers(&watch, other));

        if (!equal && !nested) {
            i++;
            continue;
        }
        if (nested)
            watch = watch_around(&watch, other);
        plan_drop(plan, i);
    }
    if (plan->count == PLAN_MAX)
        return false;
    plan->reg[plan->count].watch = watch;
    plan->reg[plan->count++].target = target;
    return true;
}

bool breakpoint_plan_add(struct breakpoint_plan *plan, const struct breakpoint *breakpoint)
{
    struct breakpoint_parts parts = breakpoint_split(breakpoint);

    for (unsigned i = 0; i < parts.count; i++)
        if (!plan_add_part(plan, &parts.watch[i], &breakpoint->target))
            return false;
    return true;
}

bool breakpoint_parts_may_meet(const struct arch_watch *left,
                               const struct breakpoint_target *left_target,
                               const struct arch_watch *right,
                               const struct breakpoint_target *right_target)
{
    if (may_share(left, left_target, right, right_target))
        return left->address / WORD == right->address / WORD;
    return breakpoint_watch_equal(left, right) &&
           breakpoint_target_equal(left_target, right_target);
}

/* Bytes without an owner that one register for both would watch; WORD: it cannot watch both. */
static unsigned bytes_between(const struct breakpoint_plan *plan, unsigned left, unsigned right)
{
    const struct arch_watch *one = &plan->reg[left].watch, *other = &plan->reg[right].watch;

    if (!breakpoint_parts_may_meet(one, plan->reg[left].target, other, plan->reg[right].target))
        return WORD;
    return watch_around(one, other).length - one->length - other->length;
}

/* Joins the pair that adds the fewest bytes; of equal pairs, the first. */
static bool plan_join_two(struct breakpoint_plan *plan)
{
    unsigned least = WORD, left = 0, right = 0;
    struct arch_watch around;

    for (unsigned i = 0; i < plan->count; i++)
        for (unsigned j = i + 1; j < plan->count; j++)
            if (bytes_between(plan, i, j) < least) {
                least = bytes_between(plan, i, j);
                left = i;
                right = j;
            }
    if (least == WORD)
        return false;
    around = watch_around(&plan->reg[left].watch, &plan->reg[right].watch);
    return plan_add_part(plan, &around, plan->reg[left].target);
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
            struct breakpoint_register moved = plan->reg[i];

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

unsigned breakpoint_plan_find(const struct breakpoint_plan *plan, const struct arch_watch *part,
                              const struct breakpoint_target *target)
{
    for (unsigned i = 0; i < plan->count; i++) {
        const struct arch_watch *watch = &plan->reg[i].watch;

        if (breakpoint_watch_equal(watch, part) &&
            breakpoint_target_equal(plan->reg[i].target, target))
            return i;
        if (may_share(watch, plan->reg[i].target, part, target) && covers(watch, part))
            return i;
    }
    assert(!"a part is planned for");
    return 0;
}
