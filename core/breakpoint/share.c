/* SPDX-License-Identifier: BSD-2-Clause */
/* See share.h. In the debug trap of any CPU; the table does not change meanwhile. */
#include "core/breakpoint/share.h"

#include "arch/cpu.h"
#include "core/breakpoint/table.h"

#define ACCESS_MAX 16 /* the most bytes that one access has: cmpxchg16b */

static bool overlap(uintptr_t start, size_t length, const struct arch_watch *watch)
{
    return start < watch->address + watch->length && watch->address < start + length;
}

/* The bytes of `watch` in the word that holds it. */
static uint64_t watch_mask(const struct arch_watch *watch)
{
    uint64_t bytes = watch->length < sizeof(bytes) ? (1ull << 8 * watch->length) - 1 : UINT64_MAX;

    return bytes << 8 * (watch->address % sizeof(bytes));
}

static bool range_equal(const struct arch_watch *left, const struct arch_watch *right)
{
    return left->address == right->address && left->length == right->length;
}

/* For an instruction that made `count` accesses, of which this is one. */
static enum share share_of_made(const struct arch_watch *part, const struct arch_watch *watch,
                                const struct arch_made *made, unsigned count)
{
    if (part->access == ARCH_WRITE && !made->writes)
        return SHARE_NOT;
    if (made->placed)
        return overlap(made->address, made->size, part) ? SHARE_HIT : SHARE_NOT;
    return count == 1 && range_equal(part, watch) ? SHARE_HIT : SHARE_DOUBTFUL;
}

/* The verdict for an instruction that is not known. */
static enum share share_by_bytes(const struct arch_watch *part, const struct arch_watch *watch,
                                 uint64_t changed)
{
    if (range_equal(part, watch) && part->access == watch->access)
        return SHARE_HIT;
    return changed & watch_mask(part) ? SHARE_HIT : SHARE_DOUBTFUL;
}

enum share breakpoint_share_of(const struct arch_watch *part, const struct arch_watch *watch,
                               const struct share_evidence *evidence)
{
    enum share share = SHARE_NOT;

    if (evidence->count == 0)
        return share_by_bytes(part, watch, evidence->changed);
    for (unsigned i = 0; i < evidence->count && share != SHARE_HIT; i++) {
        enum share one = share_of_made(part, watch, &evidence->made[i], evidence->count);

        if (one != SHARE_NOT)
            share = one;
    }
    return share;
}

/* --- For one register. --- */

/* Bit i: owner i of that register. */
struct verdicts {
    uint16_t hit[ARCH_WATCHES];
    uint16_t doubtful[ARCH_WATCHES];
    unsigned registers; /* registers that were hit, for any owner */
    uint64_t old[ARCH_WATCHES], new[ARCH_WATCHES];
};

_Static_assert(BREAKPOINT_OWNERS_MAX <= 16, "an owner is a bit of 16");

static bool is_data(const struct slot *slot)
{
    return slot->watch.access != ARCH_EXECUTE;
}

static uint16_t all_owners(const struct slot *slot)
{
    return (uint16_t)((1u << slot->owner_count) - 1);
}

/* Reads the word before an owner can write to it. */
static void take_word(struct verdicts *verdicts, unsigned i)
{
    struct slot *slot = &breakpoint_slots.slot[i];

    verdicts->new[i] = *slot->word;
    verdicts->old[i] = __atomic_exchange_n(&slot->shadow, verdicts->new[i], __ATOMIC_RELAXED);
    if (slot->user)
        verdicts->new[i] = breakpoint_user_exchange(slot, &verdicts->old[i]);
    verdicts->registers |= 1u << i;
}

/* The bytes from before prove something only if no other CPU can have changed them. */
static void gather(struct share_evidence *evidence, const struct slot *slot, uint64_t changed,
                   const struct regs *regs)
{
    evidence->count = arch_watch_made(regs, &slot->watch, evidence->made);
    evidence->changed = arch_cpus() == 1 ? changed : 0;
}

static void judge(struct verdicts *verdicts, unsigned i, const struct share_evidence *evidence)
{
    const struct slot *slot = &breakpoint_slots.slot[i];

    for (unsigned owner = 0; owner < slot->owner_count; owner++) {
        enum share share = breakpoint_share_of(&slot->parts[owner], &slot->watch, evidence);

        if (share == SHARE_HIT)
            verdicts->hit[i] |= (uint16_t)(1u << owner);
        if (share == SHARE_DOUBTFUL)
            verdicts->doubtful[i] |= (uint16_t)(1u << owner);
    }
}

static void judge_fired(struct verdicts *verdicts, unsigned i, struct share_evidence *evidence,
                        const struct regs *regs)
{
    const struct slot *slot = &breakpoint_slots.slot[i];

    take_word(verdicts, i);
    evidence->count = 0;
    if (is_data(slot) && !slot->user) {
        gather(evidence, slot, verdicts->old[i] ^ verdicts->new[i], regs);
        judge(verdicts, i, evidence);
    } else {
        verdicts->hit[i] = all_owners(slot); /* owners share such a register only if they want the
                                              * same */
    }
}

/*
 * --- Registers that hit as well, but that a machine does not report, as it reports only one. ---
 */

/* True if one access may touch both. */
static bool is_near(const struct arch_watch *left, const struct arch_watch *right)
{
    return overlap(left->address - ACCESS_MAX, left->length + 2 * ACCESS_MAX, right);
}

/* True if the instruction that hit another register has also hit this one. */
static bool made_hits(const struct share_evidence *evidence, const struct arch_watch *watch)
{
    for (unsigned i = 0; i < evidence->count; i++) {
        const struct arch_made *made = &evidence->made[i];

        if (made->placed && overlap(made->address, made->size, watch) &&
            (made->writes || watch->access == ARCH_READ_WRITE))
            return true;
    }
    return false;
}

static bool all_are_placed(const struct share_evidence *evidence)
{
    for (unsigned i = 0; i < evidence->count; i++)
        if (!evidence->made[i].placed)
            return false;
    return evidence->count > 0;
}

/* True if an access that hits `inner` certainly hits `outer`. */
static bool contains(const struct arch_watch *outer, const struct arch_watch *inner)
{
    return (outer->access == ARCH_READ_WRITE || inner->access == ARCH_WRITE) &&
           outer->address <= inner->address &&
           inner->address + inner->length <= outer->address + outer->length;
}

/*
 * For programs, only the register is known. A read-write register before it would have been
 * reported itself (the order: core/breakpoint/plan.c).
 */
static void judge_beside_user(struct verdicts *verdicts, unsigned fired, unsigned i)
{
    const struct slot *slot = &breakpoint_slots.slot[i], *hit = &breakpoint_slots.slot[fired];

    if (contains(&slot->watch, &hit->watch)) {
        take_word(verdicts, i);
        verdicts->hit[i] = all_owners(slot);
    } else if (is_near(&slot->watch, &hit->watch) &&
               (i > fired || slot->watch.access == ARCH_WRITE)) {
        verdicts->doubtful[i] = all_owners(slot);
    }
}

static void judge_beside(struct verdicts *verdicts, unsigned fired, unsigned i,
                         const struct share_evidence *evidence)
{
    const struct slot *slot = &breakpoint_slots.slot[i], *hit = &breakpoint_slots.slot[fired];

    if (!is_data(slot) || slot->user != hit->user)
        return;
    if (slot->user) {
        judge_beside_user(verdicts, fired, i);
    } else if (made_hits(evidence, &slot->watch)) {
        take_word(verdicts, i);
        judge(verdicts, i, evidence);
    } else if (!all_are_placed(evidence) && is_near(&slot->watch, &hit->watch)) {
        verdicts->doubtful[i] = all_owners(slot);
    }
}

static void judge_unreported(struct verdicts *verdicts, unsigned reported, unsigned fired,
                             const struct share_evidence *evidence)
{
    unsigned here = breakpoint_live[arch_cpu_id()];

    if (!is_data(&breakpoint_slots.slot[fired]))
        return;
    for (unsigned i = 0; i < breakpoint_slots.count; i++)
        if (here & ~(reported | verdicts->registers) & 1u << i)
            judge_beside(verdicts, fired, i, evidence);
}

/* --- Owners: each is told once in a trap, however many of its parts were hit. --- */

/* The index of its first entry in these lists; if there is none, the index after the last. */
static unsigned find_owner(const uint16_t *lists, const struct breakpoint *wanted)
{
    for (unsigned i = 0; i < breakpoint_slots.count; i++)
        for (unsigned owner = 0; owner < breakpoint_slots.slot[i].owner_count; owner++)
            if (lists[i] & 1u << owner && breakpoint_slots.slot[i].owners[owner] == wanted)
                return i * BREAKPOINT_OWNERS_MAX + owner;
    return ARCH_WATCHES * BREAKPOINT_OWNERS_MAX;
}

static void tell(const struct verdicts *verdicts, unsigned i, unsigned number, struct regs *regs)
{
    const struct slot *slot = &breakpoint_slots.slot[i];
    struct breakpoint *owner = slot->owners[number];
    unsigned entry = i * BREAKPOINT_OWNERS_MAX + number;

    if (find_owner(verdicts->hit, owner) == entry) {
        owner->hit(owner, slot->parts[number].address, regs);
        return;
    }
    if (find_owner(verdicts->hit, owner) < ARCH_WATCHES * BREAKPOINT_OWNERS_MAX ||
        find_owner(verdicts->doubtful, owner) != entry)
        return;
    if (owner->hit_in_doubt)
        owner->hit(owner, slot->parts[number].address, regs);
    else
        __atomic_fetch_add(&owner->doubtful, 1, __ATOMIC_RELAXED);
}

void breakpoint_share(unsigned fired, struct regs *regs)
{
    struct verdicts verdicts = {0};
    struct share_evidence evidence;

    for (unsigned left = fired; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);

        judge_fired(&verdicts, i, &evidence, regs);
        if (breakpoint_slots.lowest_only)
            judge_unreported(&verdicts, fired, i, &evidence);
    }
    for (unsigned i = 0; i < breakpoint_slots.count; i++)
        for (unsigned owner = 0; owner < breakpoint_slots.slot[i].owner_count; owner++)
            if ((verdicts.hit[i] | verdicts.doubtful[i]) & 1u << owner)
                tell(&verdicts, i, owner, regs);
    for (unsigned left = verdicts.registers; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);

        breakpoint_trace(&breakpoint_slots.slot[i], verdicts.old[i], verdicts.new[i], regs);
    }
}
