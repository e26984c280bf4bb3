/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One step by the unwind table (core/perf/unwind_table.h): the rule at the address tells where the
 * caller's stack pointer, frame pointer and return address are. It holds in prologues, epilogues,
 * leaves and assembly alike, and needs no frame pointer where the compiler needed none. Any
 * context; see unwind.h.
 */
#include "core/perf/unwind_step.h"
#include "core/perf/unwind_table.h"

/* The reserved section: the linker script's in the kernel, a test's own on the host. */
extern const char unwind_table_start[], unwind_table_end[];

static struct unwind_table table; /* written by unwind_orc_init alone */

int unwind_orc_init(struct refusal *why)
{
    const struct unwind_table_expected expected = {
        .build_id = arch_build_id(), .text = arch_text_start(), .text_end = arch_text_end()};

    return unwind_table_open(&table, unwind_table_start,
                             (uintptr_t)unwind_table_end - (uintptr_t)unwind_table_start, &expected,
                             why);
}

/* Registers beside stack and frame pointer are known only where a trap saved them all. */
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

/* The caller's frame pointer. */
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
 * A trap entry that has not saved all registers yet, or has given some back: only the CPU's part of
 * the struct regs below the CFA may be read.
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

static void unwind_orc_step(struct unwind *state)
{
    uintptr_t offset = state->ip - !unwind_is_exact(state) - table.text;
    struct unwind_rule rule;

    if (offset >= table.text_size) {
        /*
         * No code there: control arrived by a call or jump into nowhere, so the call's return
         * address is on top.
         */
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

/* Where a frame's return address lies, and the caller's frame pointer. */
struct orc_frame {
    uintptr_t slot; /* or ORC_NOT_TOLD, ORC_NOBODY_CALLED */
    uintptr_t fp;
};

#define ORC_NOT_TOLD      0
#define ORC_NOBODY_CALLED 1

/*
 * That of a listed rule, if all it needs is sp and fp, and all it reads lies from sp on: large
 * frames, and code that has frame pointers. Apart from the loop, which it would slow down.
 */
__attribute__((noinline)) static struct orc_frame
orc_listed_frame(const struct unwind_rule *rule, uintptr_t sp, uintptr_t fp, uintptr_t last)
{
    bool by_sp = rule->base == UNWIND_BASE_STACK_POINTER;
    uintptr_t cfa = (by_sp ? sp : fp) + (uintptr_t)(intptr_t)rule->cfa_offset, slot = cfa - 8;
    uintptr_t saved = cfa + (uintptr_t)(intptr_t)rule->saved_offset;

    if (rule->kind == UNWIND_RULE_OUTERMOST)
        return (struct orc_frame){.slot = ORC_NOBODY_CALLED};
    if (rule->kind != UNWIND_RULE_CALL || rule->indirect || slot % 8 || slot < sp || slot > last ||
        (!by_sp && rule->base != UNWIND_BASE_FRAME_POINTER))
        return (struct orc_frame){.slot = ORC_NOT_TOLD};
    if (rule->saved == UNWIND_SAVED_NOWHERE)
        return (struct orc_frame){slot, fp};
    if (rule->saved != UNWIND_SAVED_AT_CFA || saved % 8 || saved < sp || saved > last)
        return (struct orc_frame){.slot = ORC_NOT_TOLD};
    return (struct orc_frame){slot, unwind_read(saved)};
}

/*
 * The hit path's loop, for frames between two calls. A code spells most of them out: CFA by sp,
 * return address below it, the frame pointer's slot between the two. Whatever is special is left to
 * unwind_orc_step, except for the chain's end, which nearly all chains come to.
 */
static size_t unwind_orc_run(struct unwind *state, uint64_t *chain, size_t most)
{
    const struct unwind_table own = table; /* stores to the chain cannot change it */
    const uintptr_t behind_call = own.text + 1, last = state->high - 8;
    /* where the return address of the frame before was, or would have been */
    uintptr_t slot = state->sp - 8;
    uint64_t *at = chain, *const end = chain + most;
    uintptr_t offset = state->ip + unwind_is_exact(state) - behind_call;
    uintptr_t fp = state->fp;

    if (!state->stack || state->sp % 8 || state->sp < state->stack->low)
        return 0;
    while (offset < own.text_size && at < end) {
        unsigned code = unwind_table_code(&own, (uint32_t)offset);
        struct orc_frame frame = {slot + 8 + 8 * (uintptr_t)(code & UNWIND_CODE_WORDS_MASK), fp};
        uint64_t return_address;

        if (__builtin_expect(code >= UNWIND_CODE_LIST, 0)) {
            if (code == UNWIND_CODE_EXCEPTION)
                break;
            frame = orc_listed_frame(&own.rules[code - UNWIND_CODE_LIST], slot + 8, fp, last);
            if (frame.slot == ORC_NOBODY_CALLED)
                unwind_stop(state, UNWIND_OUTERMOST);
            if (frame.slot < sizeof(uint64_t))
                break;
        } else if (frame.slot > last) {
            break;
        } else if (code > UNWIND_CODE_WORDS_MASK) {
            frame.fp = unwind_read(frame.slot - 8 * (uintptr_t)(code >> UNWIND_CODE_SAVED_SHIFT));
        }
        return_address = unwind_read(frame.slot);
        offset = return_address - behind_call;
        if (offset >= own.text_size)
            break;
        *at++ = return_address;
        slot = frame.slot;
        fp = frame.fp;
    }
    if (at == chain)
        return 0;
    state->ip = at[-1];
    state->sp = state->low = slot + 8;
    state->fp_known |=
        fp != state->fp; /* what is not known is 0, and restored as 0 serves nobody */
    state->fp = fp;
    state->regs = NULL;
    state->kind = UNWIND_CALL;
    return (size_t)(at - chain);
}

const struct unwind_way unwind_orc = {.step = unwind_orc_step, .run = unwind_orc_run};
