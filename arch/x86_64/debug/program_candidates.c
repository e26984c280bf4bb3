/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds program instructions that may have hit, by trying each start. Debug trap; cannot fault. */
#include "arch/watch.h"
#include "arch/x86_64/debug/branch.h"
#include "arch/x86_64/debug/operand.h"
#include "arch/x86_64/debug/report.h"

#define WORD sizeof(uint64_t)

struct candidates {
    const struct regs *regs;
    const struct arch_watch *watch;
    struct arch_candidate *candidate;
    unsigned count; /* if more than ARCH_CANDIDATES_MAX, some were dropped */
};

/* Adds the candidate if it explains the hit. */
static void candidates_add(struct candidates *candidates, const struct arch_candidate *candidate)
{
    bool explains = false;

    for (unsigned i = 0; i < candidate->count; i++)
        explains |= report_explains_made(candidates->watch, &candidate->made[i]);
    if (explains && candidates->count++ < ARCH_CANDIDATES_MAX)
        candidates->candidate[candidates->count - 1] = *candidate;
}

/* Adds an instruction that ends or begins at ip, given in a copy of the text. */
static void candidates_add_instruction(struct candidates *candidates, const uint8_t *instruction)
{
    const struct regs *regs = candidates->regs;
    struct arch_candidate candidate;

    candidate.count = operand_made((uintptr_t)instruction, regs->ip, regs, candidate.made);
    if (candidate.count == 0) { /* unknown: one or two accesses anywhere */
        candidate.count = 2;
        candidate.made[0] = candidate.made[1] = (struct arch_made){.reads = true, .writes = true};
    }
    operand_whole(candidate.made, candidate.count);
    if (arch_watch_groups() && group_is_repeated(instruction))
        group_widen(candidate.made, candidate.count, candidates->watch, regs);
    candidates_add(candidates, &candidate);
}

static struct arch_made access_of_word(uintptr_t address, bool writes)
{
    struct arch_made made = {
        .address = address, .size = WORD, .placed = true, .reads = !writes, .writes = writes};

    operand_whole(&made, 1);
    return made;
}

/* A jump, a call or a return may have read ip from `address`. */
static void candidates_add_target(struct candidates *candidates, uintptr_t address)
{
    const struct arch_candidate jump = {.count = 1, .made = {access_of_word(address, false)}};
    const struct arch_candidate call = {
        .count = 2,
        .made = {access_of_word(address, false), access_of_word(candidates->regs->sp, true)}};

    candidates_add(candidates, &jump);
    candidates_add(candidates, &call);
}

static void candidates_add_branches(struct candidates *candidates, arch_program_reader *read)
{
    uintptr_t last = report_last(candidates->watch);
    /* A call has pushed its return address, and may have read its target anywhere. */
    const struct arch_candidate call = {
        .count = 2, .made = {access_of_word(candidates->regs->sp, true), {.reads = true}}};
    uint64_t target;

    if (report_explains(candidates->watch, candidates->regs->sp, WORD, true))
        candidates_add(candidates, &call);
    if (candidates->watch->access != ARCH_READ_WRITE)
        return;
    for (uintptr_t at = report_first(candidates->watch); at <= last; at++)
        if (read(at, &target, WORD) && target == candidates->regs->ip)
            candidates_add_target(candidates, at);
}

/* At the kernel's entry the text is out of reach (docs/programs.md, on `mov ss`). */
unsigned arch_program_candidates(const struct regs *regs, const struct arch_watch *watch,
                                 arch_program_reader *read,
                                 struct arch_candidate candidates[ARCH_CANDIDATES_MAX])
{
    struct candidates search = {.regs = regs, .watch = watch, .candidate = candidates};
    uint8_t text[3 * BRANCH_BYTES] = {0}; /* zeros where nothing was read */
    const uint8_t *ip = text + BRANCH_BYTES;

    if (!regs_user_mode(regs) || !read(regs->ip - BRANCH_BYTES, text, BRANCH_BYTES))
        return 0;
    read(regs->ip, text + BRANCH_BYTES, BRANCH_BYTES);
    for (unsigned length = 1; length <= BRANCH_BYTES; length++)
        if (operand_length(ip - length) == length)
            candidates_add_instruction(&search, ip - length);
    if (group_is_repeated(ip))
        candidates_add_instruction(&search, ip);
    candidates_add_branches(&search, read);
    return search.count <= ARCH_CANDIDATES_MAX ? search.count : 0;
}
