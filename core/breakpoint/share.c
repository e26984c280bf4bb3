/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Determines the owners of a hit if a register watches different accesses for several breakpoints,
 * or if the machine reports only one register and the instruction may have hit others
 * (docs/breakpoints.md, "Whose hit it was"). Debug trap: as core/breakpoint/hit.c.
 */
#include "core/breakpoint/table.h"

#include "arch/cpu.h"
#include "arch/memory.h"
#include "core/host.h"
#include "core/lib/assert.h"

#define ACCESS_MAX  16 /* largest access in bytes: cmpxchg16b */
#define TOUCHES_MAX UINT8_MAX

enum share { SHARE_NOT, SHARE_HIT, SHARE_DOUBTFUL };

struct share_evidence {
    struct arch_candidate candidates[ARCH_CANDIDATES_MAX]; /* one of these was the instruction */
    unsigned count;                                        /* 0: the instruction is unknown */
    uint64_t changed; /* bits of the word that the instruction changed; 0 if that is unknown */
    bool group;       /* the trap may report several iterations of a repeated instruction */
};

/* Returns a mask of the watched bytes within their word. */
static uint64_t watch_mask(const struct arch_watch *watch)
{
    uint64_t bytes = watch->length < sizeof(bytes) ? (1ull << 8 * watch->length) - 1 : UINT64_MAX;

    return bytes << 8 * (watch->address % sizeof(bytes));
}

static bool may_touch(const struct arch_watch *part, const struct arch_made *made)
{
    return arch_made_is_watched(made, part->access) &&
           arch_watch_touches(part, made->may_address, made->may_size);
}

/* `alone`: the instruction makes no other access. */
static enum share share_of_made(const struct arch_watch *part, const struct arch_watch *watch,
                                const struct arch_made *made, bool alone, uint64_t changed)
{
    if (!arch_made_is_watched(made, part->access))
        return SHARE_NOT;
    if (!made->placed)
        return alone && watch && part->address == watch->address && part->length == watch->length
                   ? SHARE_HIT
                   : SHARE_DOUBTFUL;
    if (arch_watch_touches(part, made->address, made->size))
        return SHARE_HIT;
    if (!may_touch(part, made))
        return SHARE_NOT;
    return made->writes && changed & watch_mask(part) ? SHARE_HIT : SHARE_DOUBTFUL;
}

static enum share share_of_candidate(const struct arch_watch *part, const struct arch_watch *watch,
                                     const struct arch_candidate *candidate, uint64_t changed)
{
    enum share share = SHARE_NOT;

    for (unsigned i = 0; i < candidate->count && share != SHARE_HIT; i++) {
        enum share one =
            share_of_made(part, watch, &candidate->made[i], candidate->count == 1, changed);

        if (one != SHARE_NOT)
            share = one;
    }
    return share;
}

/*
 * Decides whether `part` was hit; the answer is certain only if all candidates agree. `watch` is
 * the reported register's watch if it contains `part` and the report proves a hit, otherwise NULL.
 */
static enum share share_of(const struct arch_watch *part, const struct arch_watch *watch,
                           const struct share_evidence *evidence)
{
    enum share share;

    if (evidence->count == 0 && watch && breakpoint_watch_equal(part, watch))
        return SHARE_HIT;
    if (evidence->count == 0)
        return evidence->changed & watch_mask(part) ? SHARE_HIT : SHARE_DOUBTFUL;
    share = share_of_candidate(part, watch, &evidence->candidates[0], evidence->changed);
    for (unsigned i = 1; i < evidence->count; i++)
        if (share_of_candidate(part, watch, &evidence->candidates[i], evidence->changed) != share)
            return SHARE_DOUBTFUL;
    return share;
}

/* --- How many accesses. --- */

static unsigned larger(unsigned left, unsigned right)
{
    return left > right ? left : right;
}

static bool candidate_is_placed(const struct arch_candidate *candidate)
{
    for (unsigned i = 0; i < candidate->count; i++)
        if (!candidate->made[i].placed)
            return false;
    return true;
}

/* Returns false for an unknown instruction, too. */
static bool all_are_placed(const struct share_evidence *evidence)
{
    for (unsigned i = 0; i < evidence->count; i++)
        if (!candidate_is_placed(&evidence->candidates[i]))
            return false;
    return evidence->count > 0;
}

/* Returns the number of whole elements in the first `size` bytes that the access may cover. */
static uintptr_t elements_until(const struct arch_made *made, uintptr_t size)
{
    assert(made->element > 0); /* placed accesses have an element size */
    return size / made->element;
}

/* Returns how many elements of the access may have touched the part. */
static unsigned elements(const struct arch_watch *part, const struct arch_made *made)
{
    uintptr_t start = part->address, end = start + part->length;

    if (!may_touch(part, made))
        return 0;
    if (start < made->may_address)
        start = made->may_address;
    if (end > made->may_address + made->may_size)
        end = made->may_address + made->may_size;
    return (unsigned)(elements_until(made, end - 1 - made->may_address) -
                      elements_until(made, start - made->may_address) + 1);
}

static unsigned iterations_of_candidate(const struct arch_candidate *candidate)
{
    uintptr_t most = elements_until(&candidate->made[0], candidate->made[0].may_size);

    return most < TOUCHES_MAX ? (unsigned)most : TOUCHES_MAX;
}

/* Returns the largest number of iterations that the trap may report. */
static unsigned iterations(const struct share_evidence *evidence)
{
    unsigned most = 1;

    if (!evidence->group)
        return 1;
    if (!all_are_placed(evidence))
        return TOUCHES_MAX;
    for (unsigned i = 0; i < evidence->count; i++)
        most = larger(most, iterations_of_candidate(&evidence->candidates[i]));
    return most;
}

/*
 * Returns the largest number of accesses to the part that the trap may report if the part was hit.
 */
static unsigned touches(const struct arch_watch *part, const struct share_evidence *evidence)
{
    unsigned most = 1;

    if (iterations(evidence) == 1)
        return 1;
    if (!all_are_placed(evidence))
        return 2u * part->length; /* every byte, by both accesses of the instruction */
    for (unsigned i = 0; i < evidence->count; i++) {
        const struct arch_candidate *candidate = &evidence->candidates[i];
        unsigned count = 0, limit = iterations_of_candidate(candidate);

        for (unsigned j = 0; j < candidate->count; j++)
            count += elements(part, &candidate->made[j]);
        most = larger(most, count < limit ? count : limit);
    }
    return most;
}

/* --- One register. --- */

/*
 * The result for each register. Bit i of `hit` or `doubtful`: the register's owner i. `touches`:
 * upper bound of the accesses to each owner in `hit` or `doubtful`.
 */
struct verdicts {
    uint16_t hit[ARCH_WATCHES];
    uint16_t doubtful[ARCH_WATCHES];
    uint8_t touches[ARCH_WATCHES][BREAKPOINT_OWNERS_MAX]; /* by owner */
    unsigned iterations; /* largest number that the trap may report */
    unsigned registers;  /* bit i: register i was hit, for any owner */
    uint64_t old[ARCH_WATCHES], new[ARCH_WATCHES];
};

_Static_assert(BREAKPOINT_OWNERS_MAX <= 16, "a bit for each owner");

static bool is_data(const struct slot *slot)
{
    return slot->watch.access != ARCH_EXECUTE;
}

static uint16_t all_owners(const struct slot *slot)
{
    return (uint16_t)((1u << slot->owner_count) - 1);
}

/* Called before an owner can write to the word. */
static void take_word(struct verdicts *verdicts, unsigned i)
{
    struct slot *slot = &breakpoint_slots.slot[i];

    verdicts->new[i] = *slot->word;
    verdicts->old[i] = __atomic_exchange_n(&slot->shadow, verdicts->new[i], __ATOMIC_RELAXED);
    if (slot->user)
        verdicts->new[i] = breakpoint_user_exchange(slot, &verdicts->old[i]);
    verdicts->registers |= 1u << i;
}

/*
 * The instruction changed what differs from the last trap: after each trap all words are taken
 * (take_seen), so no change is evidence twice. Another CPU may have changed the word.
 */
static uint64_t changed_since(const struct slot *slot)
{
    return arch_cpus() == 1 ? *slot->word ^ slot->seen : 0;
}

static void take_seen(void)
{
    for (unsigned i = 0; arch_cpus() == 1 && i < breakpoint_slots.count; i++)
        breakpoint_slots.slot[i].seen = *breakpoint_slots.slot[i].word;
}

static void judge(struct verdicts *verdicts, unsigned i, const struct arch_watch *reported,
                  const struct share_evidence *evidence)
{
    const struct slot *slot = &breakpoint_slots.slot[i];

    for (unsigned owner = 0; owner < slot->owner_count; owner++) {
        const struct arch_watch *part = &slot->parts[owner];
        enum share share = share_of(part, reported, evidence);

        /*
         * The machine reported the register, so some iteration hit the owners that watch all of it.
         */
        if (evidence->group && reported && breakpoint_watch_equal(part, reported))
            share = SHARE_HIT;
        if (share == SHARE_HIT)
            verdicts->hit[i] |= (uint16_t)(1u << owner);
        if (share == SHARE_DOUBTFUL)
            verdicts->doubtful[i] |= (uint16_t)(1u << owner);
    }
}

static void count_touches(struct verdicts *verdicts, unsigned i,
                          const struct share_evidence *evidence)
{
    const struct slot *slot = &breakpoint_slots.slot[i];

    for (unsigned owner = 0; owner < slot->owner_count; owner++)
        verdicts->touches[i][owner] =
            is_data(slot) ? (uint8_t)touches(&slot->parts[owner], evidence) : 1;
}

/* Of the process on this CPU. */
static bool program_read(uintptr_t address, void *to, size_t length)
{
    return host.process_read(arch_cpu_id(), 0, address, to, length);
}

static void judge_fired(struct verdicts *verdicts, unsigned i, struct share_evidence *evidence,
                        const struct regs *regs)
{
    const struct slot *slot = &breakpoint_slots.slot[i];
    /* All owners of a register that watches a program, or execution, watch the same bytes. */
    bool owners_differ = is_data(slot) && !slot->user;

    take_word(verdicts, i);
    evidence->count = 0;
    if (owners_differ || (is_data(slot) && (breakpoint_slots.lowest_only || evidence->group)))
        evidence->count =
            slot->user
                ? arch_program_candidates(regs, &slot->watch, program_read, evidence->candidates)
                : arch_watch_candidates(regs, &slot->watch, evidence->candidates);
    evidence->changed = changed_since(slot);
    if (owners_differ || (is_data(slot) && breakpoint_slots.beside))
        judge(verdicts, i, breakpoint_slots.beside ? NULL : &slot->watch, evidence);
    else
        verdicts->hit[i] = all_owners(slot);
    count_touches(verdicts, i, evidence);
    if (is_data(slot))
        verdicts->iterations = larger(verdicts->iterations, iterations(evidence));
}

/* --- Registers that the machine did not report, because it reports only one. --- */

/* True if a placed access of the instruction that hit another register may have hit this one. */
static bool placed_may_hit(const struct share_evidence *evidence, const struct arch_watch *watch)
{
    for (unsigned i = 0; i < evidence->count; i++)
        for (unsigned j = 0; j < evidence->candidates[i].count; j++)
            if (evidence->candidates[i].made[j].placed &&
                may_touch(watch, &evidence->candidates[i].made[j]))
                return true;
    return false;
}

static bool is_same_page(const struct arch_watch *left, const struct arch_watch *right)
{
    return left->address / PAGE_SIZE == right->address / PAGE_SIZE;
}

/*
 * True if an access at an unknown place may have hit this register. An instruction's only access
 * also hit the other register, so it lies near that register, or in its page if the machine reports
 * accesses beside it; one of several accesses may lie anywhere. An unknown instruction may make
 * several only in a program.
 */
static bool unplaced_may_hit(const struct share_evidence *evidence, const struct slot *slot,
                             const struct arch_watch *other)
{
    bool far = evidence->group || (slot->user && evidence->count == 0) ||
               (breakpoint_slots.beside && is_same_page(&slot->watch, other));

    if (all_are_placed(evidence))
        return false;
    for (unsigned i = 0; i < evidence->count; i++)
        far |= evidence->candidates[i].count > 1 && !candidate_is_placed(&evidence->candidates[i]);
    return far || arch_watch_touches(other, slot->watch.address - ACCESS_MAX,
                                     slot->watch.length + 2 * ACCESS_MAX);
}

static void judge_beside(struct verdicts *verdicts, unsigned fired, unsigned i,
                         struct share_evidence *evidence)
{
    const struct slot *slot = &breakpoint_slots.slot[i], *hit = &breakpoint_slots.slot[fired];
    /* Every access that hits the other register hits this one, too. */
    bool contains = verdicts->hit[fired] && breakpoint_watch_covers(&slot->watch, &hit->watch) &&
                    (slot->watch.access == ARCH_READ_WRITE || hit->watch.access == ARCH_WRITE);

    if (!is_data(slot) || slot->user != hit->user)
        return;
    if (slot->user && contains) {
        verdicts->hit[i] = all_owners(slot);
    } else if (placed_may_hit(evidence, &slot->watch)) {
        evidence->changed = changed_since(slot);
        judge(verdicts, i, NULL, evidence);
    } else if (unplaced_may_hit(evidence, slot, &hit->watch)) {
        verdicts->doubtful[i] = all_owners(slot);
    }
    if (verdicts->hit[i])
        take_word(verdicts, i);
    count_touches(verdicts, i, evidence);
}

static void judge_unreported(struct verdicts *verdicts, unsigned reported, unsigned fired,
                             struct share_evidence *evidence)
{
    unsigned here = breakpoint_live[arch_cpu_id()];

    if (!is_data(&breakpoint_slots.slot[fired]))
        return;
    for (unsigned i = 0; i < breakpoint_slots.count; i++)
        if (here & ~(reported | verdicts->registers) & 1u << i)
            judge_beside(verdicts, fired, i, evidence);
}

/* --- Owners: one report per trap, however many parts were hit. --- */

/*
 * Returns the owner's first part in `lists`, which is `hit` or `doubtful` of the verdicts, or NULL.
 */
static const struct arch_watch *find_part(const uint16_t *lists, const struct breakpoint *wanted)
{
    for (unsigned i = 0; i < breakpoint_slots.count; i++)
        for (unsigned owner = 0; owner < breakpoint_slots.slot[i].owner_count; owner++)
            if (lists[i] & 1u << owner && breakpoint_slots.slot[i].owners[owner] == wanted)
                return &breakpoint_slots.slot[i].parts[owner];
    return NULL;
}

/* Returns the largest number of accesses to the owner's bytes that the trap may report. */
static unsigned touches_of(const struct verdicts *verdicts, const struct breakpoint *wanted)
{
    unsigned touches = 0;

    for (unsigned i = 0; i < breakpoint_slots.count; i++)
        for (unsigned owner = 0; owner < breakpoint_slots.slot[i].owner_count; owner++)
            if ((verdicts->hit[i] | verdicts->doubtful[i]) & 1u << owner &&
                breakpoint_slots.slot[i].owners[owner] == wanted)
                touches += verdicts->touches[i][owner];
    return touches < verdicts->iterations ? touches : verdicts->iterations;
}

/* A certain hit reports one access; its other accesses are doubtful. */
static void report_each(const struct verdicts *verdicts, bool certain, struct regs *regs)
{
    const uint16_t *lists = certain ? verdicts->hit : verdicts->doubtful;

    for (unsigned i = 0; i < breakpoint_slots.count; i++) {
        const struct slot *slot = &breakpoint_slots.slot[i];

        for (unsigned number = 0; number < slot->owner_count; number++) {
            struct breakpoint *owner = slot->owners[number];
            const struct arch_watch *part = &slot->parts[number];
            unsigned doubtful;

            if (!(lists[i] & 1u << number)) /* the usual case, before any search */
                continue;
            if (find_part(lists, owner) != part || (!certain && find_part(verdicts->hit, owner)))
                continue;
            doubtful = touches_of(verdicts, owner) - certain;
            if (certain || owner->hit_in_doubt)
                owner->hit(owner, part->address, regs);
            if (doubtful && (certain || !owner->hit_in_doubt))
                __atomic_fetch_add(&owner->doubtful, doubtful, __ATOMIC_RELAXED);
        }
    }
}

void breakpoint_share(unsigned fired, struct regs *regs)
{
    struct verdicts verdicts = {.iterations = 1};
    struct share_evidence evidence = {.group = breakpoint_is_group(regs)};

    for (unsigned left = fired; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);

        judge_fired(&verdicts, i, &evidence, regs);
        if (breakpoint_slots.lowest_only)
            judge_unreported(&verdicts, fired, i, &evidence);
    }
    /* Reports certain hits last, because gdb stops at the last hit of a trap. */
    report_each(&verdicts, false, regs);
    report_each(&verdicts, true, regs);
    for (unsigned i = 0; i < breakpoint_slots.count; i++)
        if (verdicts.registers & 1u << i)
            breakpoint_trace(&breakpoint_slots.slot[i], verdicts.old[i], verdicts.new[i], regs);
    take_seen(); /* what an owner has written is no evidence either */
}
