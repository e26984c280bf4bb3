/* SPDX-License-Identifier: BSD-2-Clause */
/* See explore.h. */
#include "tests/model/explore.h"

#include <stdio.h>

#include "tests/model/states.h"

static const struct order *order;
static struct explored found;
static uint32_t fault_at;

static const struct node *node_of(const struct state *state, enum side side)
{
    return transcript_node(side, state->node[side]);
}

static enum side other_side(enum side side)
{
    return side == WRITER ? READER : WRITER;
}

static bool has_stopped(const struct state *state, enum side side)
{
    enum step step = node_of(state, side)->step;

    return step == STEP_END || step == STEP_FAULT;
}

/* --- Before a state is added. --- */

static struct pending as_pending(const struct node *node)
{
    return (struct pending){.step = (uint8_t)node->step,
                            .letter = (uint8_t)node->letter,
                            .location = node->location,
                            .value = node->value};
}

/*
 * An operation that needs no answer is issued at once: this makes no difference, as memory may
 * perform it at any later time.
 */
static void issue(struct state *state, enum side side)
{
    for (;;) {
        const struct node *node = node_of(state, side);

        if (node->step == STEP_STORE || node->step == STEP_ORDER)
            order_append(&state->window[side], as_pending(node));
        else if (node->step != STEP_NOTE)
            break;
        state->node[side] = transcript_next(side, state->node[side], 0);
    }
    order_tidy(order, &state->window[side]);
}

static bool stores(const struct window *window, unsigned location, unsigned value)
{
    for (unsigned i = 0; i < window->count; i++)
        if (window->pending[i].step == STEP_STORE && window->pending[i].location == location &&
            window->pending[i].value == value)
            return true;
    return false;
}

/* False only if the location cannot hold the value now or later. */
static bool may_come(const struct state *state, enum side side, unsigned location, unsigned value)
{
    enum side other = other_side(side);

    return state->memory[location] == value || !has_stopped(state, other) ||
           stores(&state->window[other], location, value);
}

/* True if an answer that was given ahead can no longer come true: then that path never happened. */
static bool is_void(const struct state *state)
{
    for (unsigned side = 0; side < SIDES; side++)
        for (unsigned i = 0; i < state->window[side].count; i++) {
            const struct pending *pending = &state->window[side].pending[i];

            if (pending->step == STEP_LOAD &&
                !may_come(state, (enum side)side, pending->location, pending->value))
                return true;
        }
    return false;
}

static bool awaits_answers(const struct state *state)
{
    for (unsigned side = 0; side < SIDES; side++)
        for (unsigned i = 0; i < state->window[side].count; i++)
            if (state->window[side].pending[i].step == STEP_LOAD)
                return true;
    return false;
}

/* Checks the state that was last added. */
static void judge(const struct state *state)
{
    const struct node *writer = node_of(state, WRITER), *reader = node_of(state, READER);

    if (awaits_answers(state))
        return;
    if (writer->step == STEP_FAULT)
        found.fault = writer->fault;
    if (reader->step == STEP_FAULT)
        found.fault = reader->fault;
    if (writer->step != STEP_END || reader->step != STEP_END)
        return;
    found.ends++;
    if (writer->result != reader->result)
        found.fault = "the two sides do not end with the same result";
}

static void add(struct state *state, const struct move *move)
{
    for (unsigned side = 0; side < SIDES; side++)
        issue(state, (enum side)side);
    if (is_void(state))
        return;
    found.steps++;
    if (!states_add(state, move) || found.fault)
        return;
    judge(state);
    fault_at = states_count() - 1;
}

/* --- Possible next steps. --- */

/* Memory performs one of the pending operations. */
static void make_pending(const struct state *state, enum side side, uint32_t number)
{
    const struct window *window = &state->window[side];
    bool ready[WINDOW_MAX];

    order_ready(order, window, ready);
    for (unsigned i = 0; i < window->count; i++) {
        struct move move = {.from = number, .side = (uint8_t)side, .made = true};
        struct pending what = window->pending[i];
        struct state next;

        if (!ready[i] || (what.step == STEP_LOAD && state->memory[what.location] != what.value))
            continue;
        move.what = what;
        states_copy(&next, state);
        next.memory[what.location] = what.value;
        order_remove(&next.window[side], i);
        add(&next, &move);
    }
}

/* Answers the next load; if the load is also performed, it leaves nothing pending. */
static void answer(const struct state *state, struct move move, unsigned value)
{
    struct state next;
    const struct node *node = node_of(state, (enum side)move.side);

    states_copy(&next, state);
    move.issued = true;
    move.what = as_pending(node);
    move.what.value = (uint8_t)value;
    next.node[move.side] = transcript_next((enum side)move.side, state->node[move.side], value);
    if (!move.made && !order_own_store(&state->window[move.side], node->location))
        order_append(&next.window[move.side], move.what);
    add(&next, &move);
}

/*
 * True if nothing can overtake a load that is followed by this: the load may as well be issued
 * later. A barrier of loads lets stores pass, but the reader's only store has its own barrier.
 */
static bool nothing_overtakes(enum side side, uint32_t next)
{
    const struct node *node = transcript_node(side, next);

    if (node->step == STEP_NOTE)
        node = transcript_node(side, transcript_next(side, next, 0));
    return node->step == STEP_END || node->step == STEP_FAULT ||
           (node->step == STEP_ORDER && node->letter == LETTER_A_READER &&
            order_holds(order, node->letter) && order_holds(order, LETTER_C_READER));
}

static void answer_ahead(const struct state *state, const struct move *move)
{
    const struct node *node = node_of(state, (enum side)move->side);
    enum side side = (enum side)move->side;

    for (unsigned value = 0; value < transcript_values(node->location); value++)
        if (may_come(state, side, node->location, value) &&
            !nothing_overtakes(side, transcript_next(side, state->node[side], value)))
            answer(state, *move, value);
}

static void answer_load(const struct state *state, enum side side, uint32_t number)
{
    struct move move = {.from = number, .side = (uint8_t)side};
    const struct node *node = node_of(state, side);
    const struct pending *own = order_own_store(&state->window[side], node->location);

    if (own) {
        answer(state, move, own->value);
        return;
    }
    if (order->model == ORDER_WEAK && !order_holds(order, node->letter))
        answer_ahead(state, &move);
    move.made = true;
    if (order_load_ready(order, &state->window[side], node->location))
        answer(state, move, state->memory[node->location]);
}

static void answer_question(const struct state *state, enum side side, uint32_t number)
{
    struct move move = {.from = number, .side = (uint8_t)side, .what = {.step = STEP_ASK}};
    struct state next;

    states_copy(&next, state);
    move.what.value = has_stopped(state, other_side(side)) && state->window[WRITER].count == 0 &&
                      state->window[READER].count == 0;
    next.node[side] = transcript_next(side, state->node[side], move.what.value);
    add(&next, &move);
}

static void look_at(uint32_t number)
{
    struct state state;

    states_get(number, &state);
    for (unsigned i = 0; i < SIDES; i++) {
        enum side side = (enum side)i;

        make_pending(&state, side, number);
        if (node_of(&state, side)->step == STEP_LOAD)
            answer_load(&state, side, number);
        if (node_of(&state, side)->step == STEP_ASK)
            answer_question(&state, side, number);
    }
}

/* --- The path to a fault. --- */

static void print_move(const struct move *move)
{
    static const char *const sides[SIDES] = {[WRITER] = "writer", [READER] = "reader"};
    const struct pending *what = &move->what;
    unsigned long long value = transcript_value(what->location, what->value);

    if (what->step == STEP_ASK)
        printf("  %s: the other side has %sended\n", sides[move->side], what->value ? "" : "not ");
    else if (what->step == STEP_STORE)
        printf("  %s: stores %s = %#llx\n", sides[move->side], memory_name(what->location), value);
    else
        printf("  %s: %s %s = %#llx\n", sides[move->side],
               !move->issued ? "... and now loads"
               : move->made  ? "loads"
                             : "is answered ahead",
               memory_name(what->location), value);
}

static void print_way(uint32_t number)
{
    if (number == 0)
        return;
    print_way(states_move(number)->from);
    print_move(states_move(number));
}

/* Explores with the values known so far. */
static void explore_once(const uint64_t memory[LOCATIONS])
{
    struct state first = {0};
    struct move none = {0};

    found = (struct explored){0};
    states_reset();
    for (unsigned i = 0; i < LOCATIONS; i++)
        first.memory[i] = (uint8_t)transcript_number(i, memory[i]);
    for (unsigned i = 0; i < SIDES; i++)
        first.node[i] = transcript_first((enum side)i);
    add(&first, &none);
    for (uint32_t i = 0; i < states_count() && !found.fault; i++)
        look_at(i);
    found.states = states_count();
    if (found.fault)
        print_way(fault_at);
}

struct explored explore(const struct order *with, const uint64_t memory[LOCATIONS])
{
    unsigned values;

    order = with;
    do {
        values = transcript_values_in_all();
        explore_once(memory);
    } while (!found.fault && transcript_values_in_all() != values);
    return found;
}
