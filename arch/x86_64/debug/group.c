/* SPDX-License-Identifier: BSD-2-Clause */
/* See report.h. */
#include "arch/x86_64/debug/report.h"

#include "arch/x86_64/debug/operand.h"

#define REP   0xf3
#define REPNE 0xf2

static bool is_repeat(uint8_t prefix)
{
    return prefix == REP || prefix == REPNE;
}

/* Operand-size, address-size, segment and REX prefixes. */
static bool is_other_prefix(uint8_t byte)
{
    return (byte >= 0x64 && byte <= 0x67) || (byte & 0xe7) == 0x26 || (byte & 0xf0) == 0x40;
}

static bool repeats_before(const uint8_t *ip)
{
    for (unsigned i = 2; i <= ARCH_REPEAT_AROUND; i++)
        if (is_repeat(*(ip - i)))
            return operand_string[ip[-1]];
    return false;
}

bool group_is_repeated(const uint8_t instruction[ARCH_REPEAT_AROUND])
{
    bool repeated = false;
    unsigned i = 0;

    while (i < ARCH_REPEAT_AROUND && (is_repeat(instruction[i]) || is_other_prefix(instruction[i])))
        repeated |= is_repeat(instruction[i++]);
    return repeated && (i == ARCH_REPEAT_AROUND || operand_string[instruction[i]]);
}

bool arch_watch_repeats(const uint8_t around[2 * ARCH_REPEAT_AROUND])
{
    const uint8_t *ip = around + ARCH_REPEAT_AROUND;

    return repeats_before(ip) || group_is_repeated(ip);
}

/* --- The accesses of a group's iterations. --- */

/* The iterations that touch the watch, counted back from the last one, which is 1; 0: none do. */
struct stretch {
    uintptr_t latest, earliest;
};

/* `near`, `far`: distances from the end of the last iteration's access back to the watch. */
static struct stretch stretch_of(const struct arch_made *last, const struct arch_watch *watch,
                                 bool down)
{
    uintptr_t end = last->address + last->size;
    intptr_t near = down ? (intptr_t)(watch->address - last->address)
                         : (intptr_t)(end - (watch->address + watch->length));
    intptr_t far = near + watch->length;

    if (far <= 0 || near >= (intptr_t)(GROUP_MOST * last->size))
        return (struct stretch){0, 0};
    return (struct stretch){
        .latest = near > 0 ? (uintptr_t)near / last->size + 1 : 1,
        .earliest = ((uintptr_t)far + last->size - 1) / last->size,
    };
}

static void widen(struct arch_made *made, struct stretch group, bool down)
{
    uintptr_t end = made->address + made->size;

    made->size = group.latest * made->element;
    made->may_size = group.earliest * made->element;
    if (down) {
        made->may_address = made->address;
        return;
    }
    made->address = end - made->size;
    made->may_address = end - made->may_size;
}

/*
 * A group begins with the first iteration that touched an armed watch: QEMU starts a group there,
 * and reports that watch. So the group extends back to an iteration that touched `watch`, and no
 * further.
 */
void group_widen(struct arch_made made[ARCH_MADE_MAX], unsigned count,
                 const struct arch_watch *watch, const struct regs *regs)
{
    bool down = regs->flags & FLAGS_DIRECTION;
    struct stretch group = {0, 0};

    for (unsigned i = 0; i < count; i++) {
        struct stretch one = {0, 0};

        if (made[i].placed && arch_made_is_watched(&made[i], watch->access))
            one = stretch_of(&made[i], watch, down);
        if (one.latest && (!group.latest || one.latest < group.latest))
            group.latest = one.latest;
        if (one.earliest > group.earliest)
            group.earliest = one.earliest;
    }
    for (unsigned i = 0; i < count && group.latest; i++)
        if (made[i].placed)
            widen(&made[i], group, down);
}
