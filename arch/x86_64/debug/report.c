/* SPDX-License-Identifier: BSD-2-Clause */
/* See report.h. */
#include "arch/x86_64/debug/report.h"

#include "arch/memory.h"
#include "arch/x86_64/debug/operand.h"

#define WORD sizeof(uint64_t) /* what QEMU accesses at once, at most */

/* QEMU's store_helper_unaligned checks the page from its start to the store's end. */
static bool store_is_beside(const struct arch_watch *watch, uintptr_t address, size_t size)
{
    uintptr_t page = address & ~(PAGE_SIZE - 1), end = address + size;

    return end < page + PAGE_SIZE && watch->address >= page && watch->address < end;
}

/* QEMU's load_helper makes two aligned loads of an unaligned one. */
static bool load_is_beside(const struct arch_watch *watch, uintptr_t address, size_t size)
{
    return arch_watch_touches(watch, address & ~(size - 1), 2 * size);
}

uintptr_t report_first(const struct arch_watch *watch)
{
    return watch->address - (arch_watch_reports_beside() ? 2 * WORD - 1 : WORD - 1);
}

uintptr_t report_last(const struct arch_watch *watch)
{
    return watch->address + watch->length - 1 + (arch_watch_reports_beside() ? WORD - 1 : 0);
}

bool report_explains(const struct arch_watch *watch, uintptr_t address, size_t size, bool writes)
{
    size_t at_once = size < WORD ? size : WORD;

    if (!writes && watch->access != ARCH_READ_WRITE)
        return false;
    if (arch_watch_touches(watch, address, size))
        return true;
    if (!arch_watch_reports_beside() || !(address & (at_once - 1)))
        return false;
    return writes ? store_is_beside(watch, address, size) : load_is_beside(watch, address, at_once);
}

bool report_explains_made(const struct arch_watch *watch, const struct arch_made *made)
{
    if (!made->placed)
        return arch_made_is_watched(made, watch->access);
    return (made->writes && report_explains(watch, made->may_address, made->may_size, true)) ||
           (made->reads && report_explains(watch, made->may_address, made->may_size, false));
}

/* --- Groups of iterations. --- */

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
