/* SPDX-License-Identifier: BSD-2-Clause */
/* See synthetic.h. */
#include "tests/bench/tables/synthetic.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_MOST 62 /* rows */

/* By frequency; `below`: how many of 2^32 rows have this rule or an earlier one. */
struct rules {
    struct unwind_rule rule[SYNTHETIC_RULES];
    uint32_t below[SYNTHETIC_RULES];
};

uint32_t synthetic_random(struct synthetic_random *random, uint32_t below)
{
    /* xorshift64*: George Marsaglia, "Xorshift RNGs"; Sebastiano Vigna's multiplier */
    random->state ^= random->state >> 12;
    random->state ^= random->state << 25;
    random->state ^= random->state >> 27;
    return (uint32_t)((random->state * 0x2545f4914f6cdd1dull >> 32) * below >> 32);
}

/* The share of the rows with the rule of this rank. */
static double rank_share(unsigned rank)
{
    static const struct {
        unsigned end;
        double share;
    } steps[] = {{32, 0.05}, {64, 0.03}, {128, 0.015}, {SYNTHETIC_RULES, 0.005}};
    unsigned begin = 16;

    /* for the first 16, proportional to 1 / rank; 2.797 is the sum */
    if (rank < begin)
        return 0.90 / (rank + 1.5) / 2.7969;
    for (unsigned i = 0; i < sizeof(steps) / sizeof(steps[0]); begin = steps[i++].end)
        if (rank < steps[i].end)
            return steps[i].share / (steps[i].end - begin);
    return 0;
}

/* The kinds: frame pointer not saved, saved in one of five places, and all others. */
#define KIND_UNSAVED 0
#define KIND_OTHER   6
#define KINDS        7

/* The n-th rule of a kind. */
static struct unwind_rule kind_rule(unsigned kind, unsigned n)
{
    struct unwind_rule rule = {.kind = UNWIND_RULE_CALL,
                               .base = UNWIND_BASE_STACK_POINTER,
                               .saved = UNWIND_SAVED_AT_CFA,
                               .saved_offset = -16};

    if (kind == KIND_OTHER) {
        rule.base = n % 2 ? UNWIND_BASE_STACK_POINTER : UNWIND_BASE_FRAME_POINTER;
        rule.cfa_offset = n % 2 ? 2000 + 8 * (int)n : 16 + 8 * (int)n;
    } else if (kind == KIND_UNSAVED) {
        rule.saved = UNWIND_SAVED_NOWHERE;
        rule.saved_offset = 0;
        rule.cfa_offset = 8 * (int)(n + 1);
    } else {
        rule.saved_offset = -8 * (int)(kind + 1);
        rule.cfa_offset = 8 * (int)(kind + 1 + n);
    }
    return rule;
}

/* Each rule in turn is of the kind that lacks most of its share. */
static void make_rules(struct rules *rules)
{
    double lacks[KINDS] = {0.570, 0.094, 0.078, 0.060, 0.048, 0.137, 0.013};
    unsigned made[KINDS] = {0};
    double sum = 0;

    for (unsigned rank = 0; rank < SYNTHETIC_RULES; rank++) {
        unsigned kind = 0;

        for (unsigned i = 1; i < KINDS; i++)
            if (lacks[i] > lacks[kind])
                kind = i;
        rules->rule[rank] = kind_rule(kind, made[kind]++);
        lacks[kind] -= rank_share(rank);
        sum += rank_share(rank);
        rules->below[rank] = (uint32_t)(sum * UINT32_MAX);
    }
    rules->below[SYNTHETIC_RULES - 1] = UINT32_MAX;
}

/* A rule's rank. */
static unsigned random_rule(const struct rules *rules, struct synthetic_random *random)
{
    uint32_t value = synthetic_random(random, UINT32_MAX);
    unsigned rank = 0;

    while (rules->below[rank] <= value)
        rank++;
    return rank;
}

/* Geometric distribution: usually few, sometimes many. */
static unsigned random_geometric(struct synthetic_random *random, double mean)
{
    double value = (synthetic_random(random, UINT32_MAX) + 1.0) / UINT32_MAX;

    return mean > 0 ? (unsigned)(log(value) / log(mean / (mean + 1))) : 0;
}

/*
 * The number of rows that begin in a block, on average `mean`. One block in 16 is full of prologues
 * and epilogues.
 */
static unsigned random_count(struct synthetic_random *random, double mean)
{
    const double crowded = 4.8 * mean;
    unsigned count = synthetic_random(random, 16) == 0
                         ? random_geometric(random, crowded)
                         : random_geometric(random, (mean - crowded / 16) * 16 / 15);

    return count < BLOCK_MOST ? count : BLOCK_MOST;
}

/* Adds `count` different offsets in the block at `begin`; no row has the previous row's rule. */
static void add_rows(struct synthetic *synthetic, const struct rules *rules,
                     struct synthetic_random *random, uint32_t begin, unsigned count)
{
    bool taken[UNWIND_BLOCK] = {false};

    for (unsigned i = 0; i < count;) {
        uint32_t at = synthetic_random(random, UNWIND_BLOCK);

        i += !taken[at];
        taken[at] = true;
    }
    taken[0] |= begin == 0;
    for (uint32_t at = 0; at < UNWIND_BLOCK && begin + at < synthetic->text_size; at++) {
        struct table_row *row = &synthetic->rows[synthetic->count];
        unsigned rank;

        if (!taken[at])
            continue;
        row->offset = begin + at;
        do {
            rank = random_rule(rules, random);
            row->rule = rules->rule[rank];
        } while (begin + at > 0 && memcmp(&row->rule, &row[-1].rule, sizeof(row->rule)) == 0);
        synthetic->used[rank]++;
        synthetic->count++;
    }
    if (count > synthetic->crowd)
        synthetic->crowd = count;
}

bool synthetic_make(struct synthetic *synthetic, size_t rows, uint32_t text_size)
{
    struct synthetic_random random = {.state = 0x9e3779b97f4a7c15ull};
    static struct rules rules;

    make_rules(&rules);
    *synthetic = (struct synthetic){.text_size = text_size};
    synthetic->rows = malloc((rows + UNWIND_BLOCK) * sizeof(*synthetic->rows));
    if (!synthetic->rows)
        return false;
    for (uint32_t begin = 0; begin < text_size; begin += UNWIND_BLOCK) {
        size_t left = rows > synthetic->count ? rows - synthetic->count : 0;
        double blocks_left = (double)(text_size - begin) / UNWIND_BLOCK;
        unsigned count = random_count(&random, (double)left / blocks_left);

        add_rows(synthetic, &rules, &random, begin, count < left ? count : (unsigned)left);
    }
    return true;
}

/* True if a code can express the rule; only for rules made here. */
static bool is_short(const struct unwind_rule *rule)
{
    return rule->base == UNWIND_BASE_STACK_POINTER && rule->cfa_offset <= 256;
}

void synthetic_print(const struct synthetic *synthetic)
{
    const double percent = 100.0 / (double)synthetic->count;
    uint32_t rows = 0, shorts = 0;

    printf("rows as in Linux: %u in 128 bytes at most;", synthetic->crowd);
    for (unsigned rank = 0; rank < SYNTHETIC_RULES; rank++) {
        unsigned rules = rank + 1;

        rows += synthetic->used[rank];
        if (rules == 16 || rules == 32 || rules == 64 || rules == 128)
            printf(" %u rules: %.1f%%,", rules, rows * percent);
    }
    for (size_t i = 0; i < synthetic->count; i++)
        shorts += is_short(&synthetic->rows[i].rule);
    printf(" %u all;\nCFA from sp, at 256 or less: %.1f%%\n\n", SYNTHETIC_RULES, shorts * percent);
}

void synthetic_free(struct synthetic *synthetic)
{
    free(synthetic->rows);
}
