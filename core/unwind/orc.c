/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One step by the unwind table (core/unwind/table.h): the rule for an address locates the caller's
 * stack pointer, frame pointer and return address. Rules hold in prologues, epilogues, leaf
 * functions and assembly too, and use the frame pointer only where the compiler did. Any context;
 * see unwind.h.
 */
#include "arch/memory.h"
#include "arch/regs.h"
#include "core/lib/string.h"
#include "core/unwind/step.h"
#include "core/unwind/table.h"

/* Defined by the linker script; on the host by the test. */
extern const char unwind_table_start[], unwind_table_end[];

static struct unwind_table table; /* written only by unwind_orc_init */

int unwind_orc_init(struct refusal *why)
{
    const struct unwind_table_expected expected = {
        .build_id = arch_build_id(), .text = arch_text_start(), .text_end = arch_text_end()};

    return unwind_table_open(&table, unwind_table_start,
                             (uintptr_t)unwind_table_end - (uintptr_t)unwind_table_start, &expected,
                             why);
}

/*
 * Registers other than the stack and frame pointers are known only if a trap saved all registers.
 */
static bool orc_base(struct unwind *state, unsigned base, uintptr_t *value)
{
    if (base == UNWIND_BASE_STACK_POINTER) {
        *value = state->sp;
    } else if (base == UNWIND_BASE_FRAME_POINTER) {
        if (!state->fp_known)
            unwind_find_fp(state);
        *value = state->fp;
    } else if (state->regs && regs_are_full(state->regs)) {
        *value = arch_register(state->regs, base);
    } else {
        unwind_stop(state, UNWIND_NO_REGISTER);
    }
    return !unwind_done(state);
}

static bool orc_cfa(struct unwind *state, const struct unwind_rule *rule, uintptr_t *cfa)
{
    if (!orc_base(state, rule->base, cfa))
        return false;
    *cfa += (uintptr_t)(intptr_t)rule->cfa_offset;
    if (!rule->indirect)
        return true;
    if (!unwind_may_read(state, *cfa))
        return false;
    *cfa = unwind_read(*cfa);
    return true;
}

static bool orc_restore_fp(struct unwind *state, const struct unwind_rule *rule, uintptr_t cfa)
{
    uintptr_t place;

    if (rule->saved == UNWIND_SAVED_NOWHERE)
        return true;
    if (rule->saved == UNWIND_SAVED_AT_FRAME && !state->fp_known && !unwind_find_fp(state))
        return false;
    place = rule->saved == UNWIND_SAVED_AT_CFA ? cfa : state->fp;
    place += (uintptr_t)(intptr_t)rule->saved_offset;
    if (!unwind_may_read(state, place))
        return false;
    state->fp = unwind_read(place);
    state->fp_known = true;
    return true;
}

/*
 * Moves to the context interrupted by a trap entry that has not saved all registers yet, or has
 * already restored some. Of the struct regs below the CFA, only the part that the CPU pushed may be
 * read.
 */
static void orc_enter_half_saved(struct unwind *state, uintptr_t cfa)
{
    uintptr_t regs = cfa - sizeof(struct regs);
    uintptr_t ip = regs + offsetof(struct regs, ip), sp = regs + offsetof(struct regs, sp);

    if (!unwind_may_read(state, ip) || !unwind_may_read(state, cfa - 8))
        return;
    if (unwind_read(regs + offsetof(struct regs, cs)) & 3) {
        unwind_leave_kernel(state, unwind_read(ip), unwind_read(sp), state->fp, NULL);
        return;
    }
    state->low = cfa; /* as in unwind_enter_trap */
    unwind_enter(state, unwind_read(ip), unwind_read(sp), state->fp, NULL);
}

static void orc_follow(struct unwind *state, const struct unwind_rule *rule)
{
    uintptr_t cfa = 0;

    if (!orc_cfa(state, rule, &cfa))
        return;
    if (rule->kind == UNWIND_RULE_TRAP_REGS)
        unwind_enter_trap(state, cfa - sizeof(struct regs));
    else if (!orc_restore_fp(state, rule, cfa))
        return;
    else if (rule->kind == UNWIND_RULE_TRAP)
        orc_enter_half_saved(state, cfa);
    else
        unwind_return(state, cfa - 8);
}

bool unwind_orc_in_gap(const struct unwind *state)
{
    static const struct unwind_rule gap = UNWIND_GAP_RULE;
    uintptr_t offset = state->ip - !unwind_is_exact(state) - table.text;
    struct unwind_rule rule;

    if (offset >= table.text_size)
        return false;
    rule = unwind_table_rule(&table, (uint32_t)offset, unwind_table_code(&table, (uint32_t)offset));
    return memcmp(&rule, &gap, sizeof(gap)) == 0;
}

static void unwind_orc_step(struct unwind *state)
{
    uintptr_t offset = state->ip - !unwind_is_exact(state) - table.text;
    struct unwind_rule rule;

    if (offset >= table.text_size) {
        /* A call or jump went to a bad address: the return address is on top of the stack. */
        unwind_return(state, state->sp);
        return;
    }
    rule = unwind_table_rule(&table, (uint32_t)offset, unwind_table_code(&table, (uint32_t)offset));
    if (rule.kind == UNWIND_RULE_NONE)
        unwind_stop(state, UNWIND_NO_RULE);
    else if (rule.kind == UNWIND_RULE_OUTERMOST)
        unwind_stop(state, UNWIND_OUTERMOST);
    else
        orc_follow(state, &rule);
}

/* A frame's return address slot and its caller's frame pointer. */
struct orc_frame {
    uintptr_t slot; /* ORC_NO_SLOT: the rule is left to unwind_orc_step */
    uintptr_t fp;
};

#define ORC_NO_SLOT 0

/*
 * Applies a listed rule (large frames, code with frame pointers) that needs only sp and fp, reads
 * only at or above sp, and yields a return address in the text. Returns ORC_NO_SLOT for other
 * rules. Not inlined, because that would slow the loop down.
 */
__attribute__((noinline)) static struct orc_frame
orc_listed_frame(const struct unwind_rule *rule, uintptr_t sp, uintptr_t fp, uintptr_t last)
{
    bool by_sp = rule->base == UNWIND_BASE_STACK_POINTER;
    uintptr_t cfa = (by_sp ? sp : fp) + (uintptr_t)(intptr_t)rule->cfa_offset, slot = cfa - 8;
    uintptr_t saved = cfa + (uintptr_t)(intptr_t)rule->saved_offset;

    if (rule->kind != UNWIND_RULE_CALL || rule->indirect || slot % 8 || slot < sp || slot > last ||
        (!by_sp && rule->base != UNWIND_BASE_FRAME_POINTER) ||
        unwind_read(slot) - table.text - 1 >= table.text_size)
        return (struct orc_frame){.slot = ORC_NO_SLOT};
    if (rule->saved == UNWIND_SAVED_NOWHERE)
        return (struct orc_frame){slot, fp};
    if (rule->saved != UNWIND_SAVED_AT_CFA || saved % 8 || saved < sp || saved > last)
        return (struct orc_frame){.slot = ORC_NO_SLOT};
    return (struct orc_frame){slot, unwind_read(saved)};
}

/* A walk over plain frames, at the frame whose address was stored last. */
struct orc_walk {
    uintptr_t offset; /* text offset of the byte before that address */
    uintptr_t sp, fp; /* as in struct unwind */
    uint64_t *at;     /* where the next address is stored */
    bool outermost;   /* this frame has no caller */
};

/*
 * Returns the text offset of the byte before the return address at `slot`, or UINTPTR_MAX if `slot`
 * is above `last`.
 */
static inline uintptr_t orc_offset_at(uintptr_t slot, uintptr_t last, uintptr_t behind_call)
{
    return slot > last ? UINTPTR_MAX : unwind_read(slot) - behind_call;
}

/*
 * Fast loop of the hit path, for frames connected by plain calls. For most of them the rule's code
 * is enough: it gives the CFA relative to sp and, if the frame pointer is saved, its place; the
 * return address is just below the CFA. Handles the end of the chain; leaves the remaining rules to
 * unwind_orc_step. `last` is the highest slot of the stack that can hold a return address; at least
 * one address fits before `end`.
 */
__attribute__((always_inline)) static inline struct orc_walk
orc_walk_plain(struct orc_walk walk, uintptr_t last, const uint64_t *end)
{
    const struct unwind_table own = table; /* a copy: no store to the chain can change it */
    const uintptr_t behind_call = own.text + 1;

    if (walk.offset >= own.text_size)
        return walk;
    do {
        unsigned code = unwind_table_code(&own, (uint32_t)walk.offset);
        uintptr_t slot = walk.sp + 8 * (uint64_t)(code & UNWIND_CODE_WORDS_MASK);

        if (code <= UNWIND_CODE_WORDS_MASK) {
            walk.offset = orc_offset_at(slot, last, behind_call);
            if (walk.offset >= own.text_size)
                break;
        } else if (__builtin_expect(code < UNWIND_CODE_LIST, 1)) {
            walk.offset = orc_offset_at(slot, last, behind_call);
            if (walk.offset >= own.text_size)
                break;
            walk.fp = ((const uint64_t *)slot)[-(intptr_t)(code >> UNWIND_CODE_SAVED_SHIFT)];
        } else {
            const struct unwind_rule *rule = &table.rules[code - UNWIND_CODE_LIST];
            struct orc_frame frame;

            if (code == UNWIND_CODE_EXCEPTION)
                break;
            if (__builtin_expect(rule->kind == UNWIND_RULE_OUTERMOST, 1)) {
                walk.outermost = true;
                break;
            }
            frame = orc_listed_frame(rule, walk.sp, walk.fp, last);
            if (frame.slot == ORC_NO_SLOT)
                break;
            slot = frame.slot;
            walk.fp = frame.fp;
            walk.offset = unwind_read(slot) - behind_call; /* checked to be in the text */
        }
        *walk.at++ = walk.offset + behind_call;
        walk.sp = slot + 8;
    } while (walk.at < end);
    return walk;
}

/* Moves `state` to the last caller found; there is at least one. */
static void orc_walked(struct unwind *state, const struct orc_walk *walk)
{
    state->ip = walk->at[-1];
    state->sp = state->low = walk->sp;
    /* An unknown fp is 0, so fp becomes known only if the walk has changed it. */
    state->fp_known |= walk->fp != state->fp;
    state->fp = walk->fp;
    state->regs = NULL;
    state->kind = UNWIND_CALL;
}

static size_t unwind_orc_run(struct unwind *state, uint64_t *chain, size_t most)
{
    struct orc_walk walk = {.offset = state->ip - !unwind_is_exact(state) - table.text,
                            .sp = state->sp,
                            .fp = state->fp,
                            .at = chain};

    if (!state->stack || state->sp % 8 || state->sp < state->stack->low || most == 0)
        return 0;
    walk = orc_walk_plain(walk, state->high - 8, chain + most);
    if (walk.at > chain)
        orc_walked(state, &walk);
    if (walk.outermost)
        unwind_stop(state, UNWIND_OUTERMOST);
    return (size_t)(walk.at - chain);
}

__attribute__((noinline)) static size_t orc_capture_rest(const struct regs *regs,
                                                         const struct orc_walk *walk,
                                                         uint64_t *chain, size_t most,
                                                         struct unwind_border *border)
{
    struct unwind state;

    unwind_start_by(UNWIND_BY_TABLE, &state, regs);
    if (unwind_done(&state))
        return unwind_capture_rest(&state, chain, 0, most, border);
    if (walk->at > chain + 1)
        orc_walked(&state, walk);
    return unwind_capture_rest(&state, chain, (size_t)(walk->at - chain), most, border);
}

/* Most chains have only plain frames up to the outermost one, and need no struct unwind. */
static size_t unwind_orc_capture(const struct regs *regs, uint64_t *chain, size_t most,
                                 struct unwind_border *border)
{
    const struct arch_stack *stack = regs_user_mode(regs) ? NULL : arch_stack_find(regs->sp);
    const uintptr_t sp = regs->sp;
    struct orc_walk walk = {.offset = regs->ip - regs_are_rewound(regs) - table.text,
                            .sp = sp,
                            .fp = regs->bp,
                            .at = chain};

    *walk.at++ = regs->ip;
    if (__builtin_expect(stack && sp % 8 == 0 && sp >= stack->low, 1))
        walk = orc_walk_plain(walk, stack->high - 8, chain + most);
    if (__builtin_expect(!walk.outermost, 0)) {
        const struct orc_walk walked = walk; /* so that `walk` itself stays in registers */

        return orc_capture_rest(regs, &walked, chain, most, border);
    }
    border->crossed = false;
    return (size_t)(walk.at - chain);
}

const struct unwinder unwind_orc = {
    .step = unwind_orc_step, .capture = unwind_orc_capture, .run = unwind_orc_run};
