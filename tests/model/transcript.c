/* SPDX-License-Identifier: BSD-2-Clause */
/* See transcript.h. */
#include "tests/model/transcript.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NODES_MAX   400000u
#define NOTES_MAX   8192u
#define ANSWERS_MAX 1024

struct note {
    uint32_t node; /* 0: free */
    uint16_t size;
    uint8_t state[NOTE_MAX];
};

/* Node 0 is before the first step. */
struct tree {
    transcript_program *program;
    struct node *nodes;
    uint32_t count;
    struct note *notes; /* a hash table */
    struct note *used[NOTES_MAX / 2];
    uint32_t used_count;
};

static struct tree trees[SIDES];

static struct {
    uint64_t value[VALUES_MAX];
    unsigned count;
} values[LOCATIONS];

static unsigned values_in_all;

/* The current run. */
static struct tree *tree;
static unsigned known;               /* remaining steps that the tree already has */
static uint8_t answers[ANSWERS_MAX]; /* of their loads */
static unsigned answers_used;
static uint32_t grown;       /* the node to which the next step is added, */
static uint8_t grown_answer; /* for this answer */
static jmp_buf out;

static _Noreturn void give_up(const char *what)
{
    fprintf(stderr, "the model has no room for more %s\n", what);
    exit(2);
}

static void *room_for(size_t count, size_t size)
{
    void *memory = calloc(count, size);

    if (!memory)
        give_up("memory");
    return memory;
}

void transcript_reset(transcript_program *writer, transcript_program *reader)
{
    transcript_program *programs[SIDES] = {[WRITER] = writer, [READER] = reader};

    for (unsigned i = 0; i < SIDES; i++) {
        struct tree *side = &trees[i];

        if (!side->nodes) {
            side->nodes = room_for(NODES_MAX, sizeof(*side->nodes));
            side->notes = room_for(NOTES_MAX, sizeof(*side->notes));
        }
        for (unsigned j = 0; j < side->used_count; j++)
            side->used[j]->node = 0;
        side->program = programs[i];
        side->nodes[0] = (struct node){.step = STEP_NOTE};
        side->count = 1;
        side->used_count = 0;
    }
    memset(values, 0, sizeof(values));
    values_in_all = 0;
}

/* --- Values. --- */

unsigned transcript_number(unsigned location, uint64_t value)
{
    unsigned number = 0;

    while (number < values[location].count && values[location].value[number] != value)
        number++;
    if (number == values[location].count) {
        if (number == VALUES_MAX)
            give_up("values of a location");
        values[location].value[values[location].count++] = value;
        values_in_all++;
    }
    return number;
}

uint64_t transcript_value(unsigned location, unsigned number)
{
    return values[location].value[number];
}

unsigned transcript_values(unsigned location)
{
    return values[location].count;
}

unsigned transcript_values_in_all(void)
{
    return values_in_all;
}

/* --- The tree. --- */

const struct node *transcript_node(enum side side, uint32_t node)
{
    return &trees[side].nodes[node];
}

static void hang(uint32_t node)
{
    tree->nodes[grown].child[grown_answer] = node;
    grown = node;
    grown_answer = 0;
}

/* The program has done something new. */
static void grow(struct node node)
{
    if (tree->count == NODES_MAX)
        give_up("nodes");
    node.parent = grown;
    node.answer = grown_answer;
    tree->nodes[tree->count] = node;
    hang(tree->count++);
}

static bool has_answers(const struct node *node)
{
    return node->step == STEP_LOAD || node->step == STEP_ASK;
}

/* Runs the program up to `node`, past it, and as far as it needs no answer. */
static void run_past(uint32_t node, unsigned answer)
{
    uint8_t backwards[ANSWERS_MAX];
    unsigned count = 0;

    grown = node;
    grown_answer = (uint8_t)answer;
    known = 0;
    for (uint32_t at = node; at != 0; at = tree->nodes[at].parent) {
        known++;
        if (count == ANSWERS_MAX)
            give_up("answers");
        if (has_answers(&tree->nodes[tree->nodes[at].parent]))
            backwards[count++] = tree->nodes[at].answer;
    }
    for (unsigned i = 0; i < count; i++)
        answers[i] = backwards[count - 1 - i];
    if (has_answers(&tree->nodes[node]))
        answers[count] = (uint8_t)answer;
    answers_used = 0;
    if (!setjmp(out))
        tree->program();
}

uint32_t transcript_next(enum side side, uint32_t node, unsigned answer)
{
    uint32_t *child = &trees[side].nodes[node].child[answer];

    if (*child == 0) {
        tree = &trees[side];
        run_past(node, answer);
    }
    return *child;
}

uint32_t transcript_first(enum side side)
{
    return transcript_next(side, 0, 0);
}

/* --- The running program. --- */

static bool is_known(void)
{
    if (known == 0)
        return false;
    known--;
    return true;
}

uint64_t transcript_load(unsigned location, enum letter letter)
{
    if (!is_known()) {
        grow((struct node){.step = STEP_LOAD, .location = (uint8_t)location, .letter = letter});
        longjmp(out, 1);
    }
    return transcript_value(location, answers[answers_used++]);
}

void transcript_store(unsigned location, uint64_t value, enum letter letter)
{
    if (!is_known())
        grow((struct node){.step = STEP_STORE,
                           .location = (uint8_t)location,
                           .value = (uint8_t)transcript_number(location, value),
                           .letter = letter});
}

void transcript_order(enum letter letter)
{
    if (!is_known())
        grow((struct node){.step = STEP_ORDER, .letter = letter});
}

bool transcript_ask(void)
{
    if (!is_known()) {
        grow((struct node){.step = STEP_ASK});
        longjmp(out, 1);
    }
    return answers[answers_used++];
}

void transcript_end(uint64_t result)
{
    grow((struct node){.step = STEP_END, .result = result});
    longjmp(out, 1);
}

void transcript_fault(const char *fault)
{
    grow((struct node){.step = STEP_FAULT, .fault = fault});
    longjmp(out, 1);
}

/* Where the state is recorded, or would be. */
static struct note *find_note(const void *state, size_t size)
{
    uint64_t hash = 0xcbf29ce484222325;
    uint32_t at;

    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const uint8_t *)state)[i]) * 0x100000001b3;
    for (at = (uint32_t)(hash % NOTES_MAX); tree->notes[at].node != 0; at = (at + 1) % NOTES_MAX)
        if (tree->notes[at].size == size && memcmp(tree->notes[at].state, state, size) == 0)
            break;
    return &tree->notes[at];
}

void transcript_note(const void *state, size_t size)
{
    struct note *note;

    if (is_known())
        return;
    if (size > NOTE_MAX || tree->used_count == NOTES_MAX / 2)
        give_up("notes");
    note = find_note(state, size);
    if (note->node != 0) {
        hang(note->node);
        longjmp(out, 1);
    }
    grow((struct node){.step = STEP_NOTE});
    tree->used[tree->used_count++] = note;
    note->node = grown;
    note->size = (uint16_t)size;
    memcpy(note->state, state, size);
}
