/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ring's writer beside its reader, in every order that a memory model allows, over families of
 * bounded histories, short ones first. Run by tests/model/order.t: it finds nothing in the
 * unmodified ring, and an error in each broken one:
 *
 *     ring_model tso|weak [LETTER...]
 *
 * The barriers named by LETTER are removed: A-writer, A-reader, B-writer ... C-reader, or all.
 * SOAK=1: also longer histories. Status: 0 nothing found; 1 an error, and the shortest history that
 * leads to it is printed.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/model/explore.h"
#include "tests/model/history.h"

#include "core/lib/assert.h"

#define SIZES_MAX 5

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define ALL(array)   array, COUNT(array)

/* All histories that can be combined from these. */
struct family {
    enum ring_mode mode;
    uint32_t size;
    uint32_t positions;            /* of the oldest record: this many, one word apart */
    uint32_t sizes[SIZES_MAX + 1]; /* of written records, */
    unsigned longest;              /* at most this many in each history */
    bool interrupted;              /* before each operation of the writer, by each burst */
    const struct history_sizes *before;
    size_t befores;
};

/* The ring's initial contents: full or almost, so that the first records overwrite. */
static const struct history_sizes fillings[] = {{{0}},     {{16}},     {{8, 8, 8, 8}}, {{8, 24}},
                                                {{24, 8}}, {{16, 16}}, {{32}}};
static const struct history_sizes queues[] = {{{0}}, {{16}}, {{8, 24}}, {{16, 16}}};
static const struct history_sizes full[] = {{{16, 16}}, {{8, 16, 8}}};
static const struct history_sizes partly[] = {{{16, 16}}, {{8}}};
static const struct history_sizes uneven[] = {{{8, 24}}};
static const struct history_sizes larger[] = {{{24, 16, 24}}};

/* Written by an interrupt: a record that fits, two, a lap and more, one longer than the ring. */
static const struct history_sizes bursts[] = {{{8}}, {{16, 8}}, {{24, 16, 24}}, {{40}}};

static const struct family families[] = {
    {RING_OVERWRITE, 32, 4, {8, 24, 40}, 2, false, ALL(fillings)},
    {RING_NORMAL, 32, 4, {8, 16, 24, 40}, 2, false, ALL(queues)},
    {RING_OVERWRITE, 32, 1, {8, 24}, 1, true, ALL(full)},
    {RING_NORMAL, 32, 1, {16}, 1, true, ALL(partly)},
    {RING_OVERWRITE, 64, 1, {24, 40}, 2, false, ALL(larger)},
};

/* Added by SOAK=1. */
static const struct family long_families[] = {
    {RING_OVERWRITE, 32, 4, {8, 16, 24, 32, 40}, 2, false, ALL(fillings)},
    {RING_OVERWRITE, 32, 4, {8, 16, 24}, 3, false, ALL(full)},
    {RING_NORMAL, 32, 4, {8, 16, 24, 32, 40}, 3, false, ALL(queues)},
    {RING_OVERWRITE, 32, 1, {8, 24}, 4, false, ALL(uneven)},
    {RING_OVERWRITE, 32, 1, {8, 16, 24}, 2, true, ALL(full)},
    {RING_NORMAL, 32, 1, {8, 16}, 2, true, ALL(partly)},
    {RING_OVERWRITE, 64, 1, {24, 40}, 3, false, ALL(larger)},
};

static struct order order;
static struct total {
    unsigned long long histories, states, steps;
} total;

static const struct history *under_way;

/* Assertions in the ring itself: a failure of one counts as an error, too. */
_Noreturn void assert_failed(const char *claim, const char *file, int line)
{
    history_print(under_way);
    printf("found after %llu states: %s:%d: not so: %s\n", total.states, file, line, claim);
    exit(1);
}

static void run(const struct history *history)
{
    uint64_t memory[LOCATIONS];
    struct explored explored;

    under_way = history;
    history_set(history);
    history_memory(memory);
    transcript_reset(history_writer, history_reader);
    explored = explore(&order, memory);
    total.histories++;
    total.states += explored.states;
    total.steps += explored.steps;
    if (explored.fault) {
        history_print(history);
        printf("found after %llu states: %s\n", total.states, explored.fault);
        exit(1);
    }
    if (explored.ends == 0) {
        printf("a history without an end\n");
        exit(2);
    }
}

static void run_interrupted(struct history *history)
{
    uint32_t operations;

    for (unsigned burst = 0; burst < COUNT(bursts); burst++) {
        history->nested = bursts[burst];
        history->interrupted = HISTORY_NEVER;
        history_set(history);
        operations = history_operations();
        for (uint32_t operation = 0; operation < operations; operation++) {
            history->interrupted = operation;
            run(history);
        }
    }
}

static void run_writes(const struct family *family, struct history *history, unsigned count)
{
    history->writes.of[count] = 0;
    if (count == family->longest) {
        if (family->interrupted)
            run_interrupted(history);
        else
            run(history);
        return;
    }
    for (const uint32_t *size = family->sizes; *size; size++) {
        history->writes.of[count] = *size;
        run_writes(family, history, count + 1);
    }
}

static void run_family(const struct family *family)
{
    const struct total before_it = total;
    struct history history = {
        .mode = family->mode, .size = family->size, .interrupted = HISTORY_NEVER};

    for (size_t before = 0; before < family->befores; before++) {
        history.before = family->before[before];
        for (uint32_t i = 0; i < family->positions; i++) {
            history.position = 1024 + 8 * i;
            run_writes(family, &history, 0);
        }
    }
    printf("%s ring of %u, %u records%s: %llu histories, %llu states, %llu steps\n",
           family->mode == RING_OVERWRITE ? "overwriting" : "normal", family->size, family->longest,
           family->interrupted ? ", interrupted" : "", total.histories - before_it.histories,
           total.states - before_it.states, total.steps - before_it.steps);
}

static void run_families(const struct family *family, size_t count)
{
    for (; count > 0; family++, count--)
        run_family(family);
}

static unsigned letter_of(const char *name)
{
    static const char *const names[LETTERS] = {
        [LETTER_A_WRITER] = "A-writer", [LETTER_A_READER] = "A-reader",
        [LETTER_B_WRITER] = "B-writer", [LETTER_B_READER] = "B-reader",
        [LETTER_C_WRITER] = "C-writer", [LETTER_C_READER] = "C-reader"};

    for (unsigned letter = LETTER_NONE + 1; letter < LETTERS; letter++)
        if (strcmp(names[letter], name) == 0)
            return 1u << letter;
    if (strcmp(name, "all") == 0)
        return (1u << LETTERS) - 1;
    fprintf(stderr, "ring_model: no letter %s\n", name);
    exit(2);
}

int main(int argc, char **argv)
{
    if (argc < 2 || (strcmp(argv[1], "tso") != 0 && strcmp(argv[1], "weak") != 0)) {
        fprintf(stderr, "usage: ring_model tso|weak [A-writer ... C-reader | all]\n");
        return 2;
    }
    order.model = strcmp(argv[1], "tso") == 0 ? ORDER_TSO : ORDER_WEAK;
    for (int i = 2; i < argc; i++)
        order.removed |= letter_of(argv[i]);
    run_families(families, COUNT(families));
    if (getenv("SOAK"))
        run_families(long_families, COUNT(long_families));
    return 0;
}
