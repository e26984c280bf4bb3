/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The follower of calls (outside/plugin/follow.h): what a machine does, told step by step as the
 * plugin tells it, and the chain after each; then which blocks are entries of interrupts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "outside/plugin/context.h"
#include "outside/plugin/entry.h"
#include "outside/plugin/follow.h"

#define CALL_SIZE 5
#define TOP       0xffff880000010000 /* of a stack; others lie 64 KiB apart */
#define STACK(i)  (TOP + (i)*0x10000ull)
#define CHAIN_MAX 16

/* A call by the instruction at `site`, whose return address lies there. */
static void call(unsigned cpu, uint64_t place, uint64_t site)
{
    follow_call(cpu, place, site, CALL_SIZE);
}

static void assert_chain(unsigned cpu, const uint64_t *expected, unsigned count)
{
    uint32_t context = follow_context(cpu);

    for (unsigned i = 0; i < count; i++) {
        assert_int_not_equal(context, CONTEXT_NONE);
        assert_int_equal(context_at(context)->site, expected[i]);
        context = context_at(context)->outer;
    }
    assert_int_equal(context, CONTEXT_NONE);
}

#define ASSERT_CHAIN(cpu, ...)                                                                     \
    do {                                                                                           \
        const uint64_t expected[] = {__VA_ARGS__};                                                 \
        assert_chain(cpu, expected, sizeof(expected) / sizeof(expected[0]));                       \
    } while (0)

/* Each test begins on stacks that no other one has used. */
static uint64_t base;
static unsigned cpu;

static int begin(void **state)
{
    static unsigned tests;

    (void)state;
    base = STACK(16 * tests);
    cpu = tests++;
    return 0;
}

/* From here on: tests of this kind are the last ones. */
static int begin_by_entry(void **state)
{
    follow_by_entry();
    return begin(state);
}

static void calls_nest_and_return(void **state)
{
    (void)state;
    call(cpu, base, 0x1000);
    call(cpu, base - 32, 0x2000);
    call(cpu, base - 64, 0x3000);
    ASSERT_CHAIN(cpu, 0x3000, 0x2000, 0x1000);
    assert_true(follow_return(cpu, 0x3005));
    ASSERT_CHAIN(cpu, 0x2000, 0x1000);
    call(cpu, base - 64, 0x3100);
    ASSERT_CHAIN(cpu, 0x3100, 0x2000, 0x1000);
    assert_int_equal(follow_outermost(follow_thread(cpu)), 0x1000);
}

static void a_path_of_calls_is_one_number(void **state)
{
    uint32_t before;

    (void)state;
    call(cpu, base, 0x1000);
    call(cpu, base - 32, 0x2000);
    before = follow_context(cpu);
    assert_true(follow_return(cpu, 0x2005));
    call(cpu, base - 48, 0x2000);
    assert_int_equal(follow_context(cpu), before);
    assert_true(follow_return(cpu, 0x2005));
    call(cpu, base - 48, 0x2008);
    assert_int_not_equal(follow_context(cpu), before);
}

static void calls_that_were_jumped_over_are_gone(void **state)
{
    (void)state;
    call(cpu, base, 0x1000);
    for (unsigned i = 1; i < 10; i++)
        call(cpu, base - 32 * i, 0x2000 + i);
    call(cpu, base - 64, 0x9000);
    ASSERT_CHAIN(cpu, 0x9000, 0x2001, 0x1000);
    assert_true(follow_return(cpu, 0x1005)); /* over all of them at once */
    assert_chain(cpu, NULL, 0);
}

static void a_return_that_is_a_jump_ends_no_call(void **state)
{
    (void)state;
    call(cpu, base, 0x1000);
    assert_false(follow_return(cpu, 0x7000));
    ASSERT_CHAIN(cpu, 0x1000);
}

/* The call in it is made for its return address alone. */
static void a_retpoline_is_a_jump(void **state)
{
    (void)state;
    call(cpu, base, 0x1000);
    for (unsigned i = 0; i < 2; i++) {
        call(cpu, base - 32, 0x2000);
        call(cpu, base - 40, 0x7000);
        follow_replace(cpu, base - 48); /* not there */
        assert_int_equal(follow_next(cpu), 0x7005);
        follow_replace(cpu, base - 40);
        assert_int_equal(follow_next(cpu), 0);
        assert_false(follow_returns_to(cpu, 0x7005));
        follow_interrupt(cpu, 0x7010);
        call(cpu, base - 100, 0x8000);
        assert_true(follow_return(cpu, 0x8005));
        follow_interrupt_return(cpu);
        follow_place(cpu, base - 40);
        assert_true(follow_return(cpu, 0x3000));
        ASSERT_CHAIN(cpu, 0x2000, 0x1000);
        assert_true(follow_return(cpu, 0x2005));
        ASSERT_CHAIN(cpu, 0x1000);
    }
    call(cpu, base - 32, 0x2000);
    assert_true(follow_calls_again(cpu, base - 40, 0x7005)); /* another call from there */
    assert_true(follow_returns_to(cpu, 0x7005));
    ASSERT_CHAIN(cpu, 0x2000, 0x1000);
}

/*
 * Two CPUs make the same calls and returns on stacks of their own; one of them in the short way,
 * wherever that takes them. Now and then frames are jumped over, or rsp is loaded.
 */
static void the_short_way_leads_where_the_long_one_does(void **state)
{
    const unsigned other = cpu + FOLLOW_CPUS / 2;
    const uint64_t away = 0x800000;
    uint64_t sites[CHAIN_MAX];
    unsigned depth = 0, calls = 0, returns = 0;

    (void)state;
    srand(1);
    for (unsigned i = 0; i < 20000; i++) {
        unsigned what = (unsigned)rand() % 16;

        if (depth > 0 && (what < 7 || depth == CHAIN_MAX)) {
            uint64_t next = sites[--depth] + CALL_SIZE;
            bool taken = follow_returns_to(other, next);

            assert_true(follow_return(cpu, next));
            assert_true(taken || follow_return(other, next));
            returns += taken;
        } else if (depth > 1 && what == 7) {
            depth -= 2;
        } else if (what == 8) {
            follow_load(cpu);
            follow_load(other);
        } else if (depth < CHAIN_MAX) {
            uint64_t place = base - 8 - 16 * depth, site = 0x1000 + 0x100 * ((unsigned)rand() % 3);
            bool taken = follow_calls_again(other, place + away, site + CALL_SIZE);

            sites[depth++] = site;
            call(cpu, place, site);
            if (!taken)
                call(other, place + away, site);
            calls += taken;
        }
        assert_int_equal(follow_context(cpu), follow_context(other));
        assert_false(follow_calls_again(other, base + 2 * away, 0x1005)); /* on another stack */
        assert_false(follow_returns_to(other, 0x9999));
    }
    assert_true(calls > 1000);
    assert_true(returns > 1000);
}

static void a_deep_recursion_is_followed(void **state)
{
    uint32_t context;
    unsigned depth = 0;

    (void)state;
    for (unsigned i = 0; i < 10000; i++)
        call(cpu, base - 32 * i, 0x1000);
    for (context = follow_context(cpu); context; context = context_at(context)->outer)
        depth++;
    assert_int_equal(depth, 10000);
    for (unsigned i = 0; i < 10000; i++)
        assert_true(follow_return(cpu, 0x1005));
    assert_chain(cpu, NULL, 0);
}

static void threads_are_told_by_their_stacks(void **state)
{
    uint32_t first, second;

    (void)state;
    call(cpu, base, 0x1000);
    call(cpu, base - 64, 0x2000); /* the switch */
    first = follow_thread(cpu);
    follow_load(cpu);
    assert_chain(cpu, NULL, 0); /* not known yet */
    assert_int_equal(follow_thread(cpu), 0);
    call(cpu, base + 0x4000, 0x5000);
    second = follow_thread(cpu);
    assert_int_not_equal(second, first);
    ASSERT_CHAIN(cpu, 0x5000);
    call(cpu, base + 0x4000 - 64, 0x2000);
    follow_load(cpu);
    follow_place(cpu, base - 80); /* what the switch has saved */
    assert_int_equal(follow_thread(cpu), first);
    ASSERT_CHAIN(cpu, 0x2000, 0x1000);
    assert_true(follow_return(cpu, 0x2005));
    ASSERT_CHAIN(cpu, 0x1000);
}

static void a_thread_goes_on_on_another_cpu(void **state)
{
    unsigned other = cpu + 100;

    (void)state;
    call(cpu, base, 0x1000);
    call(cpu, base - 64, 0x2000);
    follow_load(cpu);
    call(cpu, base + 0x4000, 0x5000);
    follow_load(other);
    follow_place(other, base - 80);
    ASSERT_CHAIN(other, 0x2000, 0x1000);
    ASSERT_CHAIN(cpu, 0x5000);
}

static void a_load_within_the_stack_changes_nothing(void **state)
{
    uint32_t thread;

    (void)state;
    call(cpu, base, 0x1000);
    call(cpu, base - 64, 0x2000);
    thread = follow_thread(cpu);
    follow_load(cpu);                     /* mov rsp, rbp */
    follow_place(cpu, base - 64 - 0x100); /* deeper than any call so far */
    assert_int_equal(follow_thread(cpu), thread);
    ASSERT_CHAIN(cpu, 0x2000, 0x1000);
}

static void memory_that_is_another_stack_now_has_no_old_calls(void **state)
{
    uint32_t thread;

    (void)state;
    call(cpu, base - 0x800, 0x1000);
    call(cpu, base - 0x840, 0x2000);
    thread = follow_thread(cpu);
    follow_load(cpu);
    call(cpu, base - 0x100, 0x5000);
    assert_int_not_equal(follow_thread(cpu), thread);
    call(cpu, base - 0xa00, 0x6000); /* down over the old one */
    assert_int_equal(follow_thread(cpu), thread);
    ASSERT_CHAIN(cpu, 0x6000, 0x5000);
    follow_load(cpu);
    follow_place(cpu, base - 0x850);
    ASSERT_CHAIN(cpu, 0x5000);
}

static void an_interrupt_is_a_frame_of_the_interrupted_place(void **state)
{
    (void)state;
    call(cpu, base, 0x1000);
    follow_interrupt(cpu, 0x1234);
    ASSERT_CHAIN(cpu, 0x1234, 0x1000); /* before the handler has called anything, too */
    call(cpu, base - 0x100, 0x8000);
    ASSERT_CHAIN(cpu, 0x8000, 0x1234, 0x1000);
    assert_int_equal(follow_interrupt_site(cpu), 0x1234);
    assert_false(follow_return(cpu, 0x1005)); /* no return leaves a handler */
    ASSERT_CHAIN(cpu, 0x8000, 0x1234, 0x1000);
    assert_true(follow_return(cpu, 0x8005));
    follow_interrupt_return(cpu);
    ASSERT_CHAIN(cpu, 0x1000);
    assert_true(follow_return(cpu, 0x1005));
}

static void a_handler_that_calls_nothing_leaves_nothing(void **state)
{
    (void)state;
    call(cpu, base, 0x1000);
    follow_interrupt(cpu, 0x1234);
    follow_interrupt_return(cpu);
    ASSERT_CHAIN(cpu, 0x1000);
}

static void a_handler_may_have_a_stack_of_its_own(void **state)
{
    (void)state;
    call(cpu, base, 0x1000);
    follow_interrupt(cpu, 0x1234);
    call(cpu, base + 0x8000, 0x8000);
    ASSERT_CHAIN(cpu, 0x8000, 0x1234, 0x1000);
    assert_int_equal(follow_outermost(follow_thread(cpu)), 0x8000);
    follow_interrupt(cpu, 0x8800); /* one upon it, on a third */
    call(cpu, base + 0xc000, 0x9000);
    ASSERT_CHAIN(cpu, 0x9000, 0x8800, 0x8000, 0x1234, 0x1000);
    follow_interrupt_return(cpu);
    ASSERT_CHAIN(cpu, 0x8000, 0x1234, 0x1000);
    follow_interrupt_return(cpu);
    ASSERT_CHAIN(cpu, 0x1000);
}

static void an_interrupt_may_come_before_the_handler_has_called_anything(void **state)
{
    (void)state;
    call(cpu, base, 0x1000);
    follow_interrupt(cpu, 0x1234);
    follow_interrupt(cpu, 0x8000);
    call(cpu, base + 0xc000, 0x9000);
    ASSERT_CHAIN(cpu, 0x9000, 0x8000, 0x1234, 0x1000);
    follow_interrupt_return(cpu);
    ASSERT_CHAIN(cpu, 0x1234, 0x1000);
    follow_interrupt(cpu, 0x8004);
    follow_interrupt_return(cpu);
    ASSERT_CHAIN(cpu, 0x1234, 0x1000);
    call(cpu, base + 0x8000, 0x8008);
    ASSERT_CHAIN(cpu, 0x8008, 0x1234, 0x1000);
    follow_interrupt_return(cpu);
    ASSERT_CHAIN(cpu, 0x1000);
}

static void a_handler_may_move_to_the_interrupted_stack(void **state)
{
    (void)state;
    call(cpu, base, 0x1000);
    follow_interrupt(cpu, 0x1234);
    call(cpu, base + 0x8000, 0x8000);
    assert_true(follow_return(cpu, 0x8005));
    follow_load(cpu);
    follow_place(cpu, base - 0x200);
    ASSERT_CHAIN(cpu, 0x1234, 0x1000);
    call(cpu, base - 0x208, 0x8100);
    ASSERT_CHAIN(cpu, 0x8100, 0x1234, 0x1000);
    assert_true(follow_return(cpu, 0x8105));
    follow_interrupt_return(cpu);
    ASSERT_CHAIN(cpu, 0x1000);
}

/* The scheduler runs in the handler: each interrupt ends in the thread that it came upon. */
static void threads_change_inside_an_interrupt(void **state)
{
    const uint64_t other = base + 0x8000;

    (void)state;
    call(cpu, base, 0x1000);
    follow_interrupt(cpu, 0x1234);
    call(cpu, base - 0x100, 0x8000);
    call(cpu, base - 0x140, 0x9000); /* the switch, to a new thread */
    follow_load(cpu);
    call(cpu, other, 0x5000);
    follow_interrupt(cpu, 0x5678);
    call(cpu, other - 0x100, 0x8000);
    call(cpu, other - 0x140, 0x9000); /* ... and back */
    follow_load(cpu);
    follow_place(cpu, base - 0x150);
    assert_true(follow_return(cpu, 0x9005));
    ASSERT_CHAIN(cpu, 0x8000, 0x1234, 0x1000);
    assert_true(follow_return(cpu, 0x8005));
    follow_interrupt_return(cpu);
    ASSERT_CHAIN(cpu, 0x1000);
}

/* A handler may set another thread's frame, or the next handler comes at once and is not seen. */
static void where_an_interrupt_returns_to_is_told_by_the_next_place(void **state)
{
    const uint64_t other = base - 0x8000;

    (void)state;
    call(cpu, base, 0x1000);
    follow_interrupt(cpu, 0x1234);
    call(cpu, base - 0x100, 0x8000);
    assert_true(follow_return(cpu, 0x8005));
    follow_interrupt_return(cpu);
    ASSERT_CHAIN(cpu, 0x1000); /* probably */
    call(cpu, other, 0x5000);
    ASSERT_CHAIN(cpu, 0x5000);
    follow_load(cpu);
    call(cpu, base - 0x200, 0x1100); /* the stack of before, and its calls, are still known */
    ASSERT_CHAIN(cpu, 0x1100, 0x1000);
    assert_true(follow_return(cpu, 0x1105));
    follow_interrupt(cpu, 0x1238);
    follow_interrupt_return(cpu);
    assert_true(follow_return(cpu, 0x5005)); /* of no call here: another stack's */
    assert_chain(cpu, NULL, 0);
    call(cpu, other - 64, 0x5100);
    ASSERT_CHAIN(cpu, 0x5100, 0x5000);
}

static void an_interrupt_that_was_not_seen_destroys_nothing(void **state)
{
    (void)state;
    call(cpu, base, 0x1000);
    call(cpu, base - 64, 0x2000);
    follow_interrupt_return(cpu);
    assert_chain(cpu, NULL, 0);
    follow_place(cpu, base - 80);
    ASSERT_CHAIN(cpu, 0x2000, 0x1000);
}

/* The handler of the first one passes for what an indirect call leads to, but runs elsewhere. */
static void an_interrupt_that_was_taken_for_a_call_destroys_nothing(void **state)
{
    const uint64_t handlers[] = {base + 0x8000, base - 0x20000};

    (void)state;
    call(cpu, base, 0x1000);
    call(cpu, base - 64, 0x2000);
    for (unsigned i = 0; i < 2; i++) {
        call(cpu, handlers[i], 0x8000);
        ASSERT_CHAIN(cpu, 0x8000, 0x2000, 0x2000, 0x1000);
        assert_true(follow_return(cpu, 0x8005));
        follow_interrupt_return(cpu);
        call(cpu, base - 96, 0x3000);
        ASSERT_CHAIN(cpu, 0x3000, 0x2000, 0x1000);
        assert_true(follow_return(cpu, 0x3005));
    }
    call(cpu, base - 64 - 0x8000, 0x3000); /* of much room */
    ASSERT_CHAIN(cpu, 0x3000, 0x2000, 0x1000);
    assert_true(follow_return(cpu, 0x3005));
    assert_true(follow_return(cpu, 0x2005));
    ASSERT_CHAIN(cpu, 0x1000);
}

/* The kernel's stack is known by the first place on it; an NMI may come before, on a third one. */
static void a_system_call_is_on_the_stack_of_the_kernel(void **state)
{
    const uint64_t kernel = base + 0x8000, ist = base + 0xc000;

    (void)state;
    call(cpu, base, 0x1000);
    follow_border(cpu); /* syscall: swapgs, and the stack is loaded */
    assert_chain(cpu, NULL, 0);
    follow_interrupt(cpu, 0x5004);
    call(cpu, ist, 0x9000);
    ASSERT_CHAIN(cpu, 0x9000, 0x5004);
    assert_true(follow_return(cpu, 0x9005));
    follow_interrupt_return(cpu);
    assert_chain(cpu, NULL, 0);
    follow_load(cpu);
    call(cpu, kernel, 0x5010);
    ASSERT_CHAIN(cpu, 0x5010);
    follow_interrupt(cpu, 0x5014);
    call(cpu, ist, 0x9000);
    ASSERT_CHAIN(cpu, 0x9000, 0x5014, 0x5010);
    assert_true(follow_return(cpu, 0x9005));
    follow_interrupt_return(cpu);
    assert_true(follow_return(cpu, 0x5015));
    follow_load(cpu);
    follow_border(cpu); /* sysret */
    call(cpu, base - 32, 0x1100);
    ASSERT_CHAIN(cpu, 0x1100, 0x1000);
    assert_int_equal(follow_outermost(follow_thread(cpu)), 0x1000);
}

/* --- What is called. --- */

static void the_first_block_of_what_was_called_is_told(void **state)
{
    (void)state;
    assert_false(follow_begin(cpu, 0x1000));
    call(cpu, base, 0x1010);
    assert_true(follow_begin(cpu, 0x2000));
    assert_false(follow_begin(cpu, 0x2020));
    follow_interrupt(cpu, 0x2030);
    assert_true(follow_begin(cpu, 0x8000));
    assert_false(follow_begin(cpu, 0x8010));
    call(cpu, base - 0x100, 0x8020);
    assert_true(follow_begin(cpu, 0x9000));
    assert_true(follow_return(cpu, 0x8025));
    assert_false(follow_begin(cpu, 0x8025));
    follow_interrupt_return(cpu);
    assert_false(follow_begin(cpu, 0x2030));
    assert_true(follow_return(cpu, 0x1015));
    assert_false(follow_begin(cpu, 0x1015));
}

static void paths_of_functions_do_not_tell_call_sites_apart(void **state)
{
    uint32_t before;

    (void)state;
    call(cpu, base, 0x1010);
    follow_begin(cpu, 0x2000);
    call(cpu, base - 32, 0x2010);
    follow_begin(cpu, 0x3000);
    ASSERT_CHAIN(cpu, 0x3000, 0x2000);
    before = follow_context(cpu);
    assert_true(follow_return(cpu, 0x2015));
    ASSERT_CHAIN(cpu, 0x2000);
    call(cpu, base - 32, 0x2020);
    follow_begin(cpu, 0x3000);
    assert_int_equal(follow_context(cpu), before);
    assert_true(follow_return(cpu, 0x2025));
    call(cpu, base - 32, 0x2020); /* an indirect one */
    follow_begin(cpu, 0x4000);
    ASSERT_CHAIN(cpu, 0x4000, 0x2000);
}

static void an_interrupt_may_come_before_what_was_called_begins(void **state)
{
    (void)state;
    call(cpu, base, 0x1010);
    follow_begin(cpu, 0x2000);
    call(cpu, base - 32, 0x2010);
    follow_interrupt(cpu, 0x2010);
    follow_begin(cpu, 0x8000);
    ASSERT_CHAIN(cpu, 0x8000, 0x2000);
    call(cpu, base - 0x100, 0x8010);
    follow_begin(cpu, 0x9000);
    ASSERT_CHAIN(cpu, 0x9000, 0x8000, 0x2000);
    assert_true(follow_return(cpu, 0x8015));
    follow_interrupt_return(cpu);
    assert_true(follow_begin(cpu, 0x3000));
    ASSERT_CHAIN(cpu, 0x3000, 0x2000);
}

static void a_nested_interrupt_is_its_own_handler(void **state)
{
    (void)state;
    call(cpu, base, 0x1010);
    follow_begin(cpu, 0x2000);
    follow_interrupt(cpu, 0x2010);
    follow_begin(cpu, 0x8000);
    follow_interrupt(cpu, 0x8010);
    follow_begin(cpu, 0x8800);
    ASSERT_CHAIN(cpu, 0x8800, 0x8000, 0x2000);
    follow_interrupt_return(cpu);
    assert_false(follow_begin(cpu, 0x8010));
    ASSERT_CHAIN(cpu, 0x8000, 0x2000);
}

/* --- What it took. --- */

static void assert_returned(uint64_t entry, uint64_t ran)
{
    assert_int_equal(follow_returned(cpu)->entry, entry);
    if (entry)
        assert_int_equal(follow_returned(cpu)->ran, ran);
}

static void a_return_says_what_the_call_took(void **state)
{
    uint32_t inner;

    (void)state;
    call(cpu, base, 0x1010);
    follow_time(cpu, 10);
    follow_begin(cpu, 0x2000);
    call(cpu, base - 32, 0x2010);
    follow_time(cpu, 13);
    follow_begin(cpu, 0x3000);
    inner = follow_context(cpu);
    follow_time(cpu, 20);
    assert_true(follow_return(cpu, 0x2015));
    assert_returned(0x3000, 7);
    assert_int_equal(follow_returned(cpu)->context, inner);
    follow_time(cpu, 30);
    assert_true(follow_return(cpu, 0x1015));
    assert_returned(0x2000, 20);
    assert_false(follow_return(cpu, 0x7000));
    assert_returned(0, 0);
}

static void calls_that_were_jumped_over_do_not_return(void **state)
{
    (void)state;
    call(cpu, base, 0x1010);
    follow_time(cpu, 10);
    follow_begin(cpu, 0x2000);
    call(cpu, base - 32, 0x2010);
    follow_time(cpu, 20);
    follow_begin(cpu, 0x3000);
    follow_time(cpu, 30);
    assert_true(follow_return(cpu, 0x1015));
    assert_returned(0x2000, 20);
}

static void a_thread_that_is_switched_out_takes_nothing(void **state)
{
    (void)state;
    call(cpu, base, 0x1010);
    follow_time(cpu, 10);
    follow_begin(cpu, 0x2000);
    follow_time(cpu, 15);
    follow_load(cpu);
    call(cpu, base + 0x8000, 0x5000);
    follow_time(cpu, 1000);
    follow_begin(cpu, 0x6000);
    follow_load(cpu);
    follow_place(cpu, base - 16);
    follow_time(cpu, 1007);
    assert_true(follow_return(cpu, 0x1015));
    assert_returned(0x2000, 12);
}

static void an_interrupt_on_the_stack_counts(void **state)
{
    (void)state;
    call(cpu, base, 0x1010);
    follow_time(cpu, 10);
    follow_begin(cpu, 0x2000);
    follow_time(cpu, 15);
    follow_interrupt(cpu, 0x2010);
    follow_begin(cpu, 0x8000);
    call(cpu, base - 0x100, 0x8010);
    follow_time(cpu, 20);
    assert_true(follow_return(cpu, 0x8015));
    follow_time(cpu, 22);
    follow_interrupt_return(cpu);
    follow_time(cpu, 23);
    assert_true(follow_return(cpu, 0x1015));
    assert_returned(0x2000, 13);
}

/* --- Entries. --- */

static struct block block(enum decoded ends, uint64_t target)
{
    return (struct block){
        .start = 0x1000, .last = 0x1010, .end = 0x1015, .target = target, .ends = ends};
}

static void what_the_last_block_leads_to_is_no_entry(void **state)
{
    const struct block jump = block(DECODED_JUMP_IF, 0x2000), other = block(DECODED_OTHER, 0),
                       far = block(DECODED_JUMP_FAR, 0), back = block(DECODED_RETURN, 0);

    (void)state;
    assert_false(entry_came(&jump, 0x2000, 0));
    assert_false(entry_came(&jump, 0x1015, 0));
    assert_false(entry_came(&other, 0x1000, 0)); /* again */
    assert_false(entry_came(&other, 0x1008, 0)); /* cut in its middle */
    assert_false(entry_came(&far, 0x7000, 0));
    assert_false(entry_came(&back, 0x3000, 0x3000));
    assert_true(entry_came(&jump, 0x8000, 0));
    assert_true(entry_came(&far, 0x8000, 0)); /* it is known to be one now */
    assert_true(entry_came(&back, 0x8100, 0x3000));
}

static void a_return_of_what_was_pushed_may_lead_anywhere(void **state)
{
    struct block jump = block(DECODED_RETURN, 0);

    (void)state;
    jump.pushes = true;
    assert_false(entry_came(&jump, 0x6000, 0x3000));
}

static void a_block_that_begins_anew_has_not_come_to_its_end(void **state)
{
    const struct block other = block(DECODED_OTHER, 0), back = block(DECODED_RETURN, 0);

    (void)state;
    assert_false(entry_reached_end(&other, 0x1000, false));
    assert_false(entry_reached_end(&back, 0x1008, false));
    assert_true(entry_reached_end(&other, 0x1015, false));
    assert_true(entry_reached_end(&back, 0x3000, true));
    assert_true(entry_reached_end(&back, 0x1000, true)); /* recursion */
}

static void a_return_that_has_not_begun_is_left_by_a_handler_alone(void **state)
{
    const struct block back = block(DECODED_RETURN, 0), far = block(DECODED_JUMP_FAR, 0),
                       other = block(DECODED_OTHER, 0);

    (void)state;
    assert_true(entry_trapped(&back, 0x9000, false));
    assert_true(entry_came(&far, 0x9000, 0)); /* it is known to be one now */
    assert_false(entry_trapped(&back, 0x9000, true));
    assert_false(entry_trapped(&back, 0x1008, false)); /* cut in its middle */
    assert_true(entry_trapped(&far, 0x9000, false));
    assert_false(entry_trapped(&other, 0x9000, false));
}

static void the_site_of_an_interrupt_is_where_code_would_go_on(void **state)
{
    const struct block jump = block(DECODED_JUMP, 0x2000), call_of = block(DECODED_CALL, 0x2000),
                       other = block(DECODED_OTHER, 0);

    (void)state;
    assert_int_equal(entry_site(&jump, false), 0x2000);
    assert_int_equal(entry_site(&call_of, true), 0x2000);
    assert_int_equal(entry_site(&call_of, false), 0x1010);
    assert_int_equal(entry_site(&other, false), 0x1010);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(calls_nest_and_return, begin),
        cmocka_unit_test_setup(a_path_of_calls_is_one_number, begin),
        cmocka_unit_test_setup(calls_that_were_jumped_over_are_gone, begin),
        cmocka_unit_test_setup(a_return_that_is_a_jump_ends_no_call, begin),
        cmocka_unit_test_setup(a_retpoline_is_a_jump, begin),
        cmocka_unit_test_setup(the_short_way_leads_where_the_long_one_does, begin),
        cmocka_unit_test_setup(a_deep_recursion_is_followed, begin),
        cmocka_unit_test_setup(threads_are_told_by_their_stacks, begin),
        cmocka_unit_test_setup(a_thread_goes_on_on_another_cpu, begin),
        cmocka_unit_test_setup(a_load_within_the_stack_changes_nothing, begin),
        cmocka_unit_test_setup(memory_that_is_another_stack_now_has_no_old_calls, begin),
        cmocka_unit_test_setup(an_interrupt_is_a_frame_of_the_interrupted_place, begin),
        cmocka_unit_test_setup(a_handler_that_calls_nothing_leaves_nothing, begin),
        cmocka_unit_test_setup(a_handler_may_have_a_stack_of_its_own, begin),
        cmocka_unit_test_setup(an_interrupt_may_come_before_the_handler_has_called_anything, begin),
        cmocka_unit_test_setup(a_handler_may_move_to_the_interrupted_stack, begin),
        cmocka_unit_test_setup(threads_change_inside_an_interrupt, begin),
        cmocka_unit_test_setup(where_an_interrupt_returns_to_is_told_by_the_next_place, begin),
        cmocka_unit_test_setup(an_interrupt_that_was_not_seen_destroys_nothing, begin),
        cmocka_unit_test_setup(an_interrupt_that_was_taken_for_a_call_destroys_nothing, begin),
        cmocka_unit_test_setup(a_system_call_is_on_the_stack_of_the_kernel, begin),
        cmocka_unit_test_setup(the_first_block_of_what_was_called_is_told, begin),
        cmocka_unit_test_setup(a_return_says_what_the_call_took, begin),
        cmocka_unit_test_setup(calls_that_were_jumped_over_do_not_return, begin),
        cmocka_unit_test_setup(a_thread_that_is_switched_out_takes_nothing, begin),
        cmocka_unit_test_setup(an_interrupt_on_the_stack_counts, begin),
        cmocka_unit_test(what_the_last_block_leads_to_is_no_entry),
        cmocka_unit_test(a_return_of_what_was_pushed_may_lead_anywhere),
        cmocka_unit_test(a_block_that_begins_anew_has_not_come_to_its_end),
        cmocka_unit_test(a_return_that_has_not_begun_is_left_by_a_handler_alone),
        cmocka_unit_test(the_site_of_an_interrupt_is_where_code_would_go_on),
        cmocka_unit_test_setup(paths_of_functions_do_not_tell_call_sites_apart, begin_by_entry),
        cmocka_unit_test_setup(an_interrupt_may_come_before_what_was_called_begins, begin_by_entry),
        cmocka_unit_test_setup(a_nested_interrupt_is_its_own_handler, begin_by_entry),
    };

    if (!follow_init())
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
