/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See stack.h. Two hash tables find stacks: the suspended ones by the rsp with which they were
 * left, and all by the pages that their frames lie in. So a machine may have many threads.
 */
#include "outside/plugin/stack.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "outside/plugin/context.h"

#define COMPARED_MOST 64    /* frames of a stack that are compared with memory */
#define FRAMES_LESS   8     /* initial room for frames */
#define PAGES_AROUND  4096u /* pages between two places of a stack that all count as its own */
#define WORD          sizeof(uint64_t)
#define PLACES_BITS   16
#define PLACES        (1u << PLACES_BITS)

/* A page with frames of a stack. */
struct page {
    uint64_t number;
    struct stack_link of;
    struct page *next;
};

static struct stack **suspended; /* [hash of low] */
static struct page **pages;      /* [hash of the page's number] */
static struct page *free_pages;
static struct stack *free_stacks;
static uint32_t lives;
static uint64_t leaves;

bool stack_init(void)
{
    suspended = calloc(PLACES, sizeof(*suspended));
    pages = calloc(PLACES, sizeof(*pages));
    return suspended && pages;
}

static unsigned hash(uint64_t number)
{
    return (unsigned)((number * 0x9e3779b97f4a7c15u) >> (64 - PLACES_BITS));
}

struct stack_link stack_link_to(struct stack *stack)
{
    return (struct stack_link){stack, stack ? stack->life : 0};
}

struct stack *stack_linked(const struct stack_link *link)
{
    return link->stack && link->stack->life == link->life ? link->stack : NULL;
}

/* --- Frames --- */

void stack_push(struct stack *stack, const struct frame *frame)
{
    if (stack->depth == stack->room) {
        unsigned room = stack->room ? 2 * stack->room : FRAMES_LESS;
        struct frame *frames = realloc(stack->frames, room * sizeof(*frames));

        if (!frames)
            return;
        memset(frames + stack->room, 0, (room - stack->room) * sizeof(*frames));
        stack->frames = frames;
        stack->room = room;
    }
    stack_pop_below(stack, frame->place);
    assert(stack->depth < stack->room);
    stack->frames[stack->depth++] = *frame;
}

struct frame *stack_top(const struct stack *stack)
{
    return stack && stack->depth > 0 ? &stack->frames[stack->depth - 1] : NULL;
}

uint32_t stack_context(const struct stack *stack)
{
    const struct frame *top = stack_top(stack);

    return top ? top->context : CONTEXT_NONE;
}

/* The page below rsp: at the upper end of a stack, rsp itself is in the next one. */
static uint64_t page_of(uint64_t rsp)
{
    return (rsp - 1) / STACK_PAGE;
}

/*
 * False if one of the innermost return addresses at or above `from` is known not to be there:
 * threads that were left in the same function have the same innermost one. Code that was
 * interrupted may be about to return to where it has decided, as a retpoline is, so its own return
 * address may be another one, if a caller's is there.
 */
static bool holds(const struct stack *stack, uint64_t from, bool interrupted)
{
    bool changed = false; /* the return address of a function that was interrupted */

    for (unsigned i = stack->depth; i > 0 && stack->depth - i < COMPARED_MOST; i--) {
        const struct frame *frame = &stack->frames[i - 1];

        if (frame->place < from || frame->kind != FRAME_CALL)
            continue;
        if (memory_compare(frame->place, frame->next) != MEMORY_DIFFERS)
            changed = false;
        else if (i < stack->depth ? frame[1].kind == FRAME_INTERRUPT : interrupted)
            changed = true;
        else
            return false;
    }
    return !changed;
}

bool stack_is_there(const struct stack *stack, const struct stack_where *where)
{
    if (stack->space != where->space && (stack->user || !holds(stack, 0, where->interrupted)))
        return false;
    if (where->program && stack->program && where->program != stack->program)
        return false;
    if (where->physical && stack->physical && stack->page == page_of(where->rsp))
        return stack->physical == where->physical;
    return holds(stack, where->rsp, where->interrupted);
}

bool stack_keeps_calls(const struct stack *stack, uint64_t rsp)
{
    return stack->depth > 0 && stack->frames[0].place >= rsp;
}

bool stack_continues_at(const struct stack *stack, uint64_t rsp)
{
    for (unsigned i = 0; i < stack->depth; i++) {
        const struct frame *frame = &stack->frames[i];

        if (frame->kind == FRAME_INTERRUPT ? frame->next == rsp
                                           : frame->place == rsp || frame->place + WORD == rsp)
            return true;
    }
    return false;
}

/* --- The table by rsp --- */

static void suspend(struct stack *stack)
{
    struct stack **first = &suspended[hash(stack->low)];

    stack->next_suspended = *first;
    *first = stack;
}

static void resume(struct stack *stack)
{
    struct stack **at = &suspended[hash(stack->low)];

    while (*at && *at != stack)
        at = &(*at)->next_suspended;
    assert(*at); /* a stack that no CPU is on is in the table, and `low` is not changed */
    *at = stack->next_suspended;
}

/* Prefers a stack of this address space, then the one that was left last. */
static struct stack *better(struct stack *one, struct stack *other, uint64_t space)
{
    if (one && (one->space == space) != (other->space == space))
        return one->space == space ? one : other;
    return !one || other->left > one->left ? other : one;
}

struct stack *stack_suspended_at(const struct stack_where *where)
{
    struct stack *found = NULL;

    for (struct stack *stack = suspended[hash(where->rsp)]; stack; stack = stack->next_suspended)
        if (stack->low == where->rsp && stack_is_there(stack, where))
            found = better(found, stack, where->space);
    return found;
}

/* --- The table by pages --- */

static void add_page(struct stack *stack, uint64_t number)
{
    struct page **first = &pages[hash(number)], *page;

    for (page = *first; page; page = page->next)
        if (page->number == number && page->of.stack == stack && page->of.life == stack->life)
            return;
    page = free_pages ? free_pages : calloc(1, sizeof(*page));
    if (!page)
        return;
    if (page == free_pages)
        free_pages = page->next;
    *page = (struct page){number, stack_link_to(stack), *first};
    *first = page;
}

/* Adds the pages from one address to another, in any order. */
static void add_pages(struct stack *stack, uint64_t from, uint64_t to)
{
    uint64_t first = (from < to ? from : to) / STACK_PAGE,
             last = (from < to ? to : from) / STACK_PAGE;

    if (last - first > PAGES_AROUND) {
        add_page(stack, to / STACK_PAGE);
        return;
    }
    for (uint64_t number = first; number <= last; number++)
        add_page(stack, number);
}

static void drop(struct stack *stack)
{
    assert(!stack->on);
    resume(stack);
    stack->life = 0;
    stack->next_suspended = free_stacks;
    free_stacks = stack;
}

/* Removes the pages of dead stacks from this page's chain. */
static void forget_dead(uint64_t number)
{
    struct page **at = &pages[hash(number)];

    while (*at) {
        struct page *page = *at;

        if (stack_linked(&page->of)) {
            at = &page->next;
            continue;
        }
        *at = page->next;
        page->next = free_pages;
        free_pages = page;
    }
}

struct stack *stack_around(const struct stack_where *where)
{
    uint64_t number = page_of(where->rsp);
    struct stack *found = NULL;

    for (struct page *page = pages[hash(number)]; page; page = page->next) {
        struct stack *stack = stack_linked(&page->of);

        if (page->number == number && stack && !stack->on && where->rsp > stack->low &&
            where->rsp <= stack->high && stack_is_there(stack, where) &&
            (!stack_keeps_calls(stack, where->rsp) || holds(stack, 0, false)))
            found = better(found, stack, where->space);
    }
    return found;
}

struct stack *stack_suspended_near(const struct stack_where *where, uint64_t slack)
{
    struct stack *found = NULL;

    for (uint64_t number = where->rsp / STACK_PAGE; number <= where->rsp / STACK_PAGE + 1; number++)
        for (struct page *page = pages[hash(number)]; page; page = page->next) {
            struct stack *stack = stack_linked(&page->of);

            if (page->number == number && stack && !stack->on && stack->low >= where->rsp &&
                stack->low - where->rsp <= (stack->depth > 0 ? slack : STACK_PAGE) &&
                stack_is_there(stack, where) && (!found || stack->low < found->low))
                found = stack;
        }
    return found;
}

/* --- What happens to a stack --- */

struct stack *stack_new(const struct stack_where *where)
{
    struct stack *stack = free_stacks ? free_stacks : calloc(1, sizeof(*stack));
    struct frame *frames;
    unsigned room;

    if (!stack)
        return NULL;
    if (stack == free_stacks)
        free_stacks = stack->next_suspended;
    assert(stack->life == 0 && !stack->on);
    frames = stack->frames;
    room = stack->room;
    *stack = (struct stack){.low = where->rsp,
                            .floor = where->rsp,
                            .high = where->rsp,
                            .space = where->space,
                            .page = page_of(where->rsp),
                            .physical = where->physical,
                            .life = ++lives,
                            .room = room,
                            .frames = frames};
    add_page(stack, stack->page);
    suspend(stack);
    return stack;
}

void stack_leave(struct stack *stack, uint64_t rsp)
{
    assert(stack->on && stack->life > 0);
    stack->on = false;
    stack->low = stack->floor = rsp;
    stack->left = ++leaves;
    if (rsp > stack->high)
        stack->high = rsp;
    suspend(stack);
}

void stack_enter(struct stack *stack, uint64_t rsp)
{
    assert(!stack->on && stack->life > 0);
    resume(stack);
    stack->on = true;
    stack->entered = rsp;
    stack_pop_below(stack, rsp);
}

void stack_grow(struct stack *stack, uint64_t place)
{
    uint64_t number = place / STACK_PAGE;
    bool dead = false;

    for (struct page *page = pages[hash(number)]; page; page = page->next) {
        struct stack *other = stack_linked(&page->of);

        if (page->number == number && other && other != stack && !other->on &&
            other->space == stack->space && (other->space || !other->user) &&
            place >= other->low - WORD && place <= other->high) {
            drop(other);
            dead = true;
        }
        dead |= page->number == number && !other;
    }
    if (dead)
        forget_dead(number);
    if (place < stack->floor) {
        add_pages(stack, stack->floor, place);
        stack->floor = place;
    }
    if (place > stack->high) {
        add_pages(stack, stack->high, place);
        stack->high = place;
    }
}
