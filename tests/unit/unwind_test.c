/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The unwinder on stacks made here: a small machine calls, is interrupted and changes stacks,
 * noting on the way what the chain has to be; then stacks that no machine would leave, each with
 * the reason at which the walk has to stop; then stacks of noise, on which it may find anything
 * but must not read beside them, nor go round. At each chain the hit path's unwind_capture is held
 * against the iterator.
 *
 * links: core/perf/unwind.c core/perf/unwind_fp.c arch/x86_64/frame.c tests/unit/fake_arch.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/perf/unwind.h"
#include "core/symbols.h"
#include "tests/unit/fake_arch.h"

/* --- Code: functions of 64 bytes, as the compilers write them. --- */

#define FUNCTION_SIZE  64
#define BODY           4    /* offset behind the prologue */
#define EPILOGUE       0x3d /* of `leave`; `ret` is behind it */
#define FRAMED         16   /* functions 0 to 15 have a frame, */
#define LEAF           16   /* the next one has none, */
#define FLAGS_LEAF     17   /* one pushes flags, as arch/x86_64/leaf.asm does, */
#define NAMELESS       18   /* and one is in no symbol table */
#define FUNCTIONS      19
#define TEXT_PLAIN_END 0x800
#define TEXT_SIZE      0xa00
#define TRAP_RETURN    0x880

static uint8_t text[TEXT_SIZE] __attribute__((aligned(4096)));

static uintptr_t function_start(unsigned function)
{
    return (uintptr_t)text + function * FUNCTION_SIZE;
}

static uintptr_t body_of(unsigned function)
{
    return function_start(function) + 0x20;
}

static void write_function(unsigned function)
{
    static const uint8_t prologue[] = {0x55, 0x48, 0x89, 0xe5};
    static const uint8_t flags[] = {0x9c, 0x58, 0xc3};
    uint8_t *code = (uint8_t *)function_start(function);

    memset(code, 0x90, FUNCTION_SIZE);
    code[FUNCTION_SIZE - 1] = 0xcc;
    code[EPILOGUE + 1] = 0xc3;
    if (function == FLAGS_LEAF) {
        memcpy(code, flags, sizeof(flags));
    } else if (function != LEAF) {
        memcpy(code, prologue, sizeof(prologue));
        code[EPILOGUE] = function % 2 ? 0xc9 : 0x5d;
    }
}

bool symbols_find_address(uintptr_t address, struct symbol *found)
{
    uintptr_t offset = address - (uintptr_t)text;

    if (offset >= NAMELESS * FUNCTION_SIZE)
        return false;
    *found = (struct symbol){.name = "function",
                             .address = function_start((unsigned)(offset / FUNCTION_SIZE)),
                             .size = FUNCTION_SIZE,
                             .kind = 't'};
    return true;
}

/* --- A machine that notes its own call chain. --- */

#define DEPTH_MOST  512
#define STACK_WORDS 512

struct machine {
    uintptr_t ip, sp, fp;
    uintptr_t callers[DEPTH_MOST]; /* outermost first */
    unsigned depth;
    unsigned stacks; /* how many are in use */
};

static const struct arch_stack *stacks[FAKE_STACKS_MAX];

static void push(struct machine *machine, uint64_t value)
{
    machine->sp -= sizeof(value);
    *(uint64_t *)machine->sp = value;
}

static void note(struct machine *machine, uintptr_t address)
{
    assert_true(machine->depth < DEPTH_MOST);
    machine->callers[machine->depth++] = address;
}

/* On the first stack, in what was not called by anybody. */
static struct machine machine_start(void)
{
    return (struct machine){.ip = body_of(LEAF), .sp = stacks[0]->high, .stacks = 1};
}

static void machine_call(struct machine *machine, unsigned function)
{
    note(machine, machine->ip);
    push(machine, machine->ip);
    machine->ip = function_start(function);
}

/* From the start of a framed function into its body, with some room for locals. */
static void machine_prologue(struct machine *machine, unsigned locals)
{
    push(machine, machine->fp);
    machine->fp = machine->sp;
    machine->sp -= 8 * locals;
    machine->ip += 0x20;
}

static struct regs machine_regs(const struct machine *machine)
{
    return (struct regs){.ip = machine->ip,
                         .sp = machine->sp,
                         .bp = machine->fp,
                         .flags = FLAGS_FIXED,
                         .cs = KERNEL_CODE_SELECTOR};
}

/* A trap, handled where it came or on the next stack; its entry calls `handler`. */
static void machine_trap(struct machine *machine, bool other_stack, unsigned handler)
{
    struct regs regs = machine_regs(machine);

    note(machine, machine->ip);
    machine->sp = other_stack ? stacks[machine->stacks++]->high : machine->sp & ~15ull;
    machine->sp -= sizeof(regs);
    memcpy((void *)machine->sp, &regs, sizeof(regs));
    machine->ip = (uintptr_t)text + TRAP_RETURN;
    machine_call(machine, handler);
}

/* --- Walks. --- */

#define WALK_MOST 2048

struct walk {
    uint64_t ip[WALK_MOST];
    bool exact[WALK_MOST];
    size_t count;
    enum unwind_end end;
};

static void assert_captured(const struct regs *regs, const struct walk *walk, size_t most)
{
    uint64_t *chain = malloc(most * sizeof(*chain) + 1);
    size_t expected = walk->count < most ? walk->count : most;

    assert_int_equal(unwind_capture(regs, chain, most), expected);
    assert_memory_equal(chain, walk->ip, expected * sizeof(*chain));
    free(chain);
}

/* Iterates, and asks for the same chain again in the hit path's way, whole and cut. */
static struct walk walk_from(const struct regs *regs)
{
    struct walk walk = {.count = 0};
    struct unwind state;

    for (unwind_start(&state, regs); !unwind_done(&state); unwind_next(&state)) {
        assert_true(walk.count < WALK_MOST);
        assert_int_equal(state.exact, state.regs != NULL);
        walk.ip[walk.count] = state.ip;
        walk.exact[walk.count++] = state.exact;
    }
    walk.end = state.end;
    unwind_next(&state);
    assert_int_equal(state.end, walk.end);
    assert_captured(regs, &walk, WALK_MOST);
    assert_captured(regs, &walk, walk.count);
    assert_captured(regs, &walk, walk.count / 2);
    assert_captured(regs, &walk, 1);
    assert_captured(regs, &walk, 0);
    return walk;
}

static void assert_chain_from(const struct machine *machine, const struct regs *regs)
{
    struct walk walk = walk_from(regs);

    assert_int_equal(walk.count, machine->depth + 1);
    assert_int_equal(walk.ip[0], machine->ip);
    for (unsigned i = 0; i < machine->depth; i++)
        assert_int_equal(walk.ip[i + 1], machine->callers[machine->depth - 1 - i]);
    assert_int_equal(walk.end, UNWIND_OUTERMOST);
}

/* The chain from here is what the machine noted, to the last frame. */
static void assert_chain(const struct machine *machine)
{
    struct regs regs = machine_regs(machine);

    assert_chain_from(machine, &regs);
}

static void assert_walk(const struct regs *regs, size_t count, enum unwind_end end)
{
    struct walk walk = walk_from(regs);

    assert_int_equal(walk.end, end);
    assert_int_equal(walk.count, count);
}

static void place_text(void)
{
    fake_arch.text_start = (uintptr_t)text;
    fake_arch.text_plain_end = (uintptr_t)text + TEXT_PLAIN_END;
    fake_arch.text_end = (uintptr_t)text + TEXT_SIZE;
    fake_arch.trap_return = (uintptr_t)text + TRAP_RETURN;
}

static int setup(void **state)
{
    static const char *const names[FAKE_STACKS_MAX] = {"task", "exception", "debug",
                                                       "nmi",  "fault",     "one too many"};

    fake_arch_reset(state);
    memset(text, 0xcc, sizeof(text));
    for (unsigned function = 0; function < FUNCTIONS; function++)
        write_function(function);
    place_text();
    for (unsigned i = 0; i < FAKE_STACKS_MAX; i++)
        stacks[i] = fake_stack_add(names[i], STACK_WORDS);
    return 0;
}

/* --- What machines leave. --- */

static struct machine three_calls_deep(void)
{
    struct machine machine = machine_start();

    for (unsigned function = 0; function < 3; function++) {
        machine_call(&machine, function);
        machine_prologue(&machine, function);
    }
    return machine;
}

static void a_plain_chain_is_followed_to_the_outermost_caller(void **state)
{
    struct machine machine = three_calls_deep();

    (void)state;
    assert_int_equal(machine.depth, 3);
    assert_chain(&machine);
}

static void a_hit_in_a_prologue_keeps_the_caller(void **state)
{
    struct machine machine = three_calls_deep();

    (void)state;
    machine_call(&machine, 5);
    assert_chain(&machine); /* before push rbp */
    push(&machine, machine.fp);
    machine.ip += 1;
    assert_chain(&machine); /* before mov rbp, rsp */
    machine.fp = machine.sp;
    machine.ip += 3;
    assert_chain(&machine);
}

static void a_hit_in_an_epilogue_keeps_the_caller(void **state)
{
    (void)state;
    for (unsigned function = 4; function < 6; function++) { /* pop rbp, and leave */
        struct machine machine = three_calls_deep();
        uintptr_t fp = machine.fp, sp = machine.sp;

        machine_call(&machine, function);
        machine_prologue(&machine, 0);
        machine.ip = function_start(function) + EPILOGUE;
        assert_chain(&machine); /* before it */
        machine.fp = fp;
        machine.sp = sp - 8;
        machine.ip += 1;
        assert_chain(&machine); /* before ret */
    }
}

static void a_hit_in_a_leaf_without_a_frame_keeps_the_caller(void **state)
{
    struct machine machine = three_calls_deep();

    (void)state;
    machine_call(&machine, LEAF);
    for (unsigned offset = 0; offset < FUNCTION_SIZE - 1; offset++) {
        machine.ip = function_start(LEAF) + offset;
        assert_chain(&machine);
    }
}

static void a_hit_in_a_leaf_that_pushes_flags_keeps_the_caller(void **state)
{
    struct machine machine = three_calls_deep();

    (void)state;
    machine_call(&machine, FLAGS_LEAF);
    assert_chain(&machine);
    push(&machine, FLAGS_FIXED);
    machine.ip += 1;
    assert_chain(&machine);
    machine.sp += 8;
    machine.ip += 1;
    assert_chain(&machine);
}

static void a_function_without_a_symbol_is_taken_to_have_a_frame(void **state)
{
    struct machine machine = three_calls_deep();

    (void)state;
    machine_call(&machine, NAMELESS);
    machine_prologue(&machine, 3);
    assert_chain(&machine);
}

static void a_call_into_nowhere_is_traced_to_its_caller(void **state)
{
    struct machine machine = three_calls_deep();

    (void)state;
    machine_call(&machine, 0);
    machine.ip = 0;
    assert_chain(&machine);
    machine.ip = 0xffffffff90000000;
    assert_chain(&machine);
}

static void a_trap_entry_is_a_frame_and_the_interrupted_place_another(void **state)
{
    struct machine machine = three_calls_deep();
    uintptr_t interrupted = machine.ip;
    struct regs regs;
    struct walk walk;

    (void)state;
    machine_trap(&machine, false, 7);
    machine_prologue(&machine, 2);
    regs = machine_regs(&machine);
    assert_chain(&machine);
    walk = walk_from(&regs);
    assert_true(walk.exact[0]);
    assert_int_equal(walk.ip[1], text + TRAP_RETURN);
    assert_false(walk.exact[1]);
    assert_int_equal(walk.ip[2], interrupted);
    assert_true(walk.exact[2]);
    assert_false(walk.exact[3]);
}

static void the_interrupted_place_comes_with_its_registers(void **state)
{
    struct machine machine = three_calls_deep();
    struct unwind frame;
    struct regs regs;
    uintptr_t sp = machine.sp;

    (void)state;
    machine_trap(&machine, true, 7);
    regs = machine_regs(&machine);
    unwind_start(&frame, &regs);
    assert_ptr_equal(frame.regs, &regs);
    unwind_next(&frame);
    assert_null(frame.regs);
    assert_int_equal(frame.sp, stacks[1]->high - sizeof(struct regs));
    unwind_next(&frame);
    assert_int_equal((uintptr_t)frame.regs, stacks[1]->high - sizeof(struct regs));
    assert_int_equal(frame.sp, sp);
    assert_ptr_equal(frame.stack, stacks[0]);
}

static void traps_are_crossed_wherever_they_came(void **state)
{
    static const unsigned offsets[] = {0, 1, BODY, EPILOGUE + 1};

    (void)state;
    for (unsigned other_stack = 0; other_stack < 2; other_stack++)
        for (unsigned i = 0; i < 4; i++) {
            struct machine machine = three_calls_deep();

            machine_call(&machine, 9);
            if (offsets[i] == 1 || offsets[i] == BODY)
                push(&machine, machine.fp);
            if (offsets[i] == BODY)
                machine.fp = machine.sp;
            machine.ip += offsets[i];
            machine_trap(&machine, other_stack, 7);
            assert_chain(&machine);
            machine_prologue(&machine, 1);
            assert_chain(&machine);
        }
}

static void traps_within_traps_are_crossed_over_all_stacks(void **state)
{
    struct machine machine = three_calls_deep();

    (void)state;
    for (unsigned level = 0; level < 4; level++) {
        machine_trap(&machine, true, 8 + level);
        machine_prologue(&machine, level);
        machine_call(&machine, 3);
        machine_prologue(&machine, 1);
        assert_chain(&machine);
    }
}

static void a_snapshot_begins_in_the_middle_of_its_function(void **state)
{
    struct machine machine = three_calls_deep();
    struct regs regs = machine_regs(&machine);

    (void)state;
    regs.flags = FLAGS_INTERRUPT;
    assert_chain_from(&machine, &regs);
    regs.flags = 0;
    assert_chain_from(&machine, &regs);
}

/* An NMI right at the start of an interrupt's entry, say. */
static void inside_a_trap_entry_the_chain_stops_with_a_reason(void **state)
{
    struct machine machine = three_calls_deep();
    struct regs regs = {
        .ip = (uintptr_t)text + TEXT_PLAIN_END, .sp = machine.sp, .flags = FLAGS_FIXED};

    (void)state;
    assert_walk(&regs, 1, UNWIND_IN_ENTRY);
}

static void a_partial_snapshot_gives_its_own_place_and_a_reason(void **state)
{
    struct machine machine = three_calls_deep();
    struct regs regs = {.ip = machine.ip, .sp = machine.sp};

    (void)state;
    assert_walk(&regs, 1, UNWIND_NO_FRAME_POINTER);
    regs.flags = FLAGS_FIXED;
    assert_walk(&regs, 1, UNWIND_OUTERMOST);
}

static void runaway_recursion_is_named_from_inside_the_guard(void **state)
{
    struct machine machine = three_calls_deep();
    struct regs regs;

    (void)state;
    while (machine.sp >= stacks[0]->low + 4 * 8) {
        machine_call(&machine, 6);
        machine_prologue(&machine, 1);
    }
    /* Room for locals, which lies in the guard: the first store there faults. */
    for (uintptr_t sp = stacks[0]->guard + 8; sp < machine.sp; sp += 8) {
        regs = machine_regs(&machine);
        regs.sp = sp;
        assert_chain_from(&machine, &regs);
    }
    /* And so does a handler on another stack. */
    machine.sp = stacks[0]->low - 64;
    machine_trap(&machine, true, 7);
    machine_prologue(&machine, 0);
    assert_chain(&machine);
}

/* --- What no machine leaves. --- */

/*
 * A walk from the body of a framed function with this frame pointer; stacks hold zeros unless
 * written to.
 */
static struct regs regs_with_frame(uintptr_t fp)
{
    return (struct regs){.ip = body_of(1), .sp = stacks[0]->low, .bp = fp, .flags = FLAGS_FIXED};
}

static void put_frame(uintptr_t at, uintptr_t fp, uintptr_t return_address)
{
    ((uint64_t *)at)[0] = fp;
    ((uint64_t *)at)[1] = return_address;
}

static void a_stack_pointer_in_no_stack_ends_the_chain(void **state)
{
    struct regs regs = regs_with_frame(stacks[0]->low);

    (void)state;
    put_frame(stacks[0]->low, 0, body_of(2));
    regs.sp = (uintptr_t)&regs;
    assert_walk(&regs, 1, UNWIND_NO_STACK);
    regs.sp = stacks[0]->high + 8;
    assert_walk(&regs, 1, UNWIND_NO_STACK);
    regs.sp = stacks[0]->guard;
    assert_walk(&regs, 1, UNWIND_NO_STACK);
    regs.sp = 0;
    assert_walk(&regs, 1, UNWIND_NO_STACK);
}

static void frames_are_read_up_to_the_stacks_very_ends(void **state)
{
    struct regs regs = regs_with_frame(stacks[0]->low);

    (void)state;
    put_frame(stacks[0]->low, stacks[0]->high - 16, body_of(2));
    put_frame(stacks[0]->high - 16, 0, body_of(3));
    assert_walk(&regs, 3, UNWIND_OUTERMOST);
}

static void frames_outside_the_stack_are_not_read(void **state)
{
    struct regs regs;

    (void)state;
    regs = regs_with_frame(stacks[0]->high - 8); /* half in */
    assert_walk(&regs, 1, UNWIND_OUTSIDE_STACK);
    regs = regs_with_frame(stacks[0]->high);
    assert_walk(&regs, 1, UNWIND_OUTSIDE_STACK);
    regs = regs_with_frame(stacks[0]->low - 8); /* half in, from below */
    assert_walk(&regs, 1, UNWIND_OUTSIDE_STACK);
    regs = regs_with_frame(stacks[1]->low);
    assert_walk(&regs, 1, UNWIND_OUTSIDE_STACK);
    regs = regs_with_frame(UINTPTR_MAX - 7);
    assert_walk(&regs, 1, UNWIND_OUTSIDE_STACK);
    regs = regs_with_frame(8);
    assert_walk(&regs, 1, UNWIND_OUTSIDE_STACK);
}

static void a_return_address_is_read_from_the_top_word_and_not_beyond(void **state)
{
    struct regs regs = {.ip = body_of(LEAF), .flags = FLAGS_FIXED};

    (void)state;
    ((uint64_t *)stacks[0]->high)[-1] = body_of(2);
    regs.sp = stacks[0]->high - 8;
    assert_walk(&regs, 2, UNWIND_OUTERMOST);
    regs.sp = stacks[0]->high;
    assert_walk(&regs, 1, UNWIND_OUTSIDE_STACK);
    regs.sp = stacks[0]->low - 8;
    assert_walk(&regs, 1, UNWIND_OUTSIDE_STACK);
    regs.sp = stacks[0]->low + 4;
    assert_walk(&regs, 1, UNWIND_MISALIGNED);
}

static void misaligned_frame_pointers_end_the_chain(void **state)
{
    (void)state;
    for (unsigned off = 1; off < 8; off++) {
        struct regs regs = regs_with_frame(stacks[0]->low + 64 + off);

        assert_walk(&regs, 1, UNWIND_MISALIGNED);
        regs = regs_with_frame(stacks[0]->low);
        put_frame(stacks[0]->low, stacks[0]->low + 64 + off, body_of(2));
        assert_walk(&regs, 2, UNWIND_MISALIGNED);
    }
}

static void frames_never_go_backwards(void **state)
{
    uintptr_t first = stacks[0]->low + 64, second = first + 64;
    struct regs regs = regs_with_frame(first);

    (void)state;
    put_frame(first, first, body_of(2)); /* itself */
    assert_walk(&regs, 2, UNWIND_NOT_FORWARD);
    put_frame(first, first + 8, body_of(2)); /* half of itself */
    assert_walk(&regs, 2, UNWIND_NOT_FORWARD);
    put_frame(first, second, body_of(2));
    put_frame(second, second, body_of(3)); /* itself, further out */
    assert_walk(&regs, 3, UNWIND_NOT_FORWARD);
    put_frame(second, second + 8, body_of(3));
    ((uint64_t *)second)[2] = body_of(4);
    assert_walk(&regs, 3, UNWIND_NOT_FORWARD);
    put_frame(first, second, body_of(2)); /* round and round */
    put_frame(second, first, body_of(3));
    assert_walk(&regs, 3, UNWIND_NOT_FORWARD);
    regs.sp = second; /* below the stack pointer */
    assert_walk(&regs, 1, UNWIND_NOT_FORWARD);
}

static void return_addresses_must_be_in_the_text(void **state)
{
    uintptr_t frame = stacks[0]->low + 64;
    struct regs regs = regs_with_frame(frame);
    uintptr_t bad[] = {0, 8, (uintptr_t)text - 1, (uintptr_t)text + TEXT_SIZE, UINTPTR_MAX, frame};
    uintptr_t good[] = {(uintptr_t)text, (uintptr_t)text + TEXT_PLAIN_END - 1,
                        (uintptr_t)text + TEXT_PLAIN_END, (uintptr_t)text + TEXT_SIZE - 1};

    (void)state;
    for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        put_frame(frame, 0, bad[i]);
        assert_walk(&regs, 1, UNWIND_NOT_CODE);
        put_frame(frame, frame + 64, body_of(2));
        put_frame(frame + 64, 0, bad[i]);
        assert_walk(&regs, 2, UNWIND_NOT_CODE);
    }
    for (unsigned i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        put_frame(frame, 0, good[i]);
        assert_walk(&regs, 2, UNWIND_OUTERMOST);
    }
}

/* At `at`: a frame that a trap entry called, and behind it the struct regs. */
static struct regs *put_trap_frame(uintptr_t at, struct regs regs)
{
    put_frame(at, 0, (uintptr_t)text + TRAP_RETURN);
    memcpy((void *)(at + 16), &regs, sizeof(regs));
    return (struct regs *)(at + 16);
}

static void a_trap_frame_must_lie_in_the_stack_as_a_whole(void **state)
{
    uintptr_t at = stacks[0]->high - 16 - sizeof(struct regs);
    struct regs regs = regs_with_frame(at);

    (void)state;
    put_trap_frame(at, (struct regs){.ip = body_of(2), .sp = stacks[1]->low, .flags = FLAGS_FIXED});
    assert_walk(&regs, 3, UNWIND_OUTERMOST);
    at += 8;
    regs = regs_with_frame(at);
    put_frame(at, 0, (uintptr_t)text + TRAP_RETURN);
    assert_walk(&regs, 2, UNWIND_OUTSIDE_STACK);
    at = stacks[0]->high - 16;
    regs = regs_with_frame(at);
    put_frame(at, 0, (uintptr_t)text + TRAP_RETURN);
    assert_walk(&regs, 2, UNWIND_OUTSIDE_STACK);
}

static void a_trap_frame_that_leads_down_its_stack_ends_the_chain(void **state)
{
    uintptr_t at = stacks[0]->low + 64;
    struct regs start = regs_with_frame(at);
    struct regs *regs =
        put_trap_frame(at, (struct regs){.ip = body_of(2), .sp = at, .flags = FLAGS_FIXED});

    (void)state;
    assert_walk(&start, 2, UNWIND_NOT_FORWARD);
    regs->sp = stacks[0]->low;
    assert_walk(&start, 2, UNWIND_NOT_FORWARD);
}

static void two_stacks_that_lead_to_each_other_are_walked_once(void **state)
{
    uintptr_t first = stacks[0]->low + 64, second = stacks[1]->low + 64;
    struct regs start = regs_with_frame(first);

    (void)state;
    put_trap_frame(
        first, (struct regs){.ip = body_of(2), .sp = second, .bp = second, .flags = FLAGS_FIXED});
    put_trap_frame(second,
                   (struct regs){.ip = body_of(3), .sp = first, .bp = first, .flags = FLAGS_FIXED});
    assert_walk(&start, 4, UNWIND_STACK_TWICE);
}

static void more_stacks_than_contexts_nest_end_the_chain(void **state)
{
    struct regs start = regs_with_frame(stacks[0]->low);

    (void)state;
    for (unsigned i = 0; i + 1 < FAKE_STACKS_MAX; i++) {
        uintptr_t next = stacks[i + 1]->low;

        put_trap_frame(
            stacks[i]->low,
            (struct regs){.ip = body_of(i), .sp = next, .bp = next, .flags = FLAGS_FIXED});
    }
    /* Five stacks, each with the trap entry and what it interrupted, but for the last. */
    assert_walk(&start, 10, UNWIND_STACK_TWICE);
}

static void each_reason_has_words_of_its_own(void **state)
{
    (void)state;
    for (enum unwind_end end = UNWIND_RUNNING; end <= UNWIND_IN_ENTRY; end++) {
        assert_true(strlen(unwind_reason(end)) > 8);
        for (enum unwind_end other = UNWIND_RUNNING; other < end; other++)
            assert_string_not_equal(unwind_reason(end), unwind_reason(other));
    }
}

/* --- Chance. --- */

static unsigned chance(unsigned sides)
{
    return (unsigned)rand() % sides;
}

/* Into a framed function, to some place of it; only in the body can it go on calling. */
static bool machine_random_call(struct machine *machine)
{
    machine_call(machine, chance(FRAMED));
    switch (chance(8)) {
    case 0:
        return false;
    case 1:
        push(machine, machine->fp);
        machine->ip += 1;
        return false;
    default:
        machine_prologue(machine, chance(6));
        return true;
    }
}

static void every_chain_that_a_machine_can_make_is_found_whole(void **state)
{
    (void)state;
    srand(3);
    for (unsigned round = 0; round < 20000; round++) {
        struct machine machine = machine_start();
        bool in_body = true;
        unsigned length = chance(20);

        machine_call(&machine, chance(FRAMED));
        machine_prologue(&machine, chance(4));
        for (unsigned i = 0; i < length; i++) {
            if (in_body && chance(5)) {
                in_body = machine_random_call(&machine);
                continue;
            }
            if (machine.sp < stacks[machine.stacks - 1]->low + 1024)
                break;
            machine_trap(&machine, machine.stacks < 4 && chance(2), chance(FRAMED));
            machine_prologue(&machine, chance(4));
            in_body = true;
        }
        assert_chain(&machine);
    }
}

/* Something that a corrupt stack may hold, and often enough something that fits. */
static uint64_t noise(const struct arch_stack *const *small, unsigned count)
{
    const struct arch_stack *stack = small[chance(count)];
    uint64_t words = (stack->high - stack->low) / 8;

    switch (chance(12)) {
    case 0:
        return 0;
    case 1:
        return (uint64_t)rand() << 32 | (unsigned)rand();
    case 2:
        return stack->low - 8 * chance(600);
    case 3:
        return stack->high - 8 + 4 * chance(8);
    case 4:
        return stack->low + chance((unsigned)words * 8);
    case 5:
    case 6:
        return (uintptr_t)text + TRAP_RETURN;
    case 7:
        return (uintptr_t)text + chance(TEXT_SIZE);
    case 8:
        return body_of(chance(FUNCTIONS));
    case 9:
        return UINTPTR_MAX - chance(64);
    default:
        return stack->low + 8 * chance((unsigned)words);
    }
}

static void fill_with_noise(void *memory, size_t words, const struct arch_stack *const *small,
                            unsigned count)
{
    uint64_t *word = memory;

    for (size_t i = 0; i < words; i++)
        word[i] = noise(small, count);
}

static void no_noise_leads_out_of_the_stacks_or_round(void **state)
{
    const struct arch_stack *small[FAKE_STACKS_MAX];
    unsigned long ends[UNWIND_IN_ENTRY + 1] = {0};

    fake_arch_reset(state);
    place_text();
    for (unsigned i = 0; i < FAKE_STACKS_MAX; i++)
        small[i] = fake_stack_add("small", 30 + 7 * i);
    srand(4);
    for (unsigned round = 0; round < 100000; round++) {
        unsigned count = 1 + chance(FAKE_STACKS_MAX);
        struct regs regs;

        for (unsigned i = 0; i < count; i++)
            fill_with_noise((void *)small[i]->low, (small[i]->high - small[i]->low) / 8, small,
                            count);
        fill_with_noise(&regs, sizeof(regs) / 8, small, count);
        ends[walk_from(&regs).end]++;
    }
    for (enum unwind_end end = UNWIND_OUTERMOST; end < UNWIND_NO_FRAME_POINTER; end++)
        assert_true(ends[end] > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_plain_chain_is_followed_to_the_outermost_caller, setup),
        cmocka_unit_test_setup(a_hit_in_a_prologue_keeps_the_caller, setup),
        cmocka_unit_test_setup(a_hit_in_an_epilogue_keeps_the_caller, setup),
        cmocka_unit_test_setup(a_hit_in_a_leaf_without_a_frame_keeps_the_caller, setup),
        cmocka_unit_test_setup(a_hit_in_a_leaf_that_pushes_flags_keeps_the_caller, setup),
        cmocka_unit_test_setup(a_function_without_a_symbol_is_taken_to_have_a_frame, setup),
        cmocka_unit_test_setup(a_call_into_nowhere_is_traced_to_its_caller, setup),
        cmocka_unit_test_setup(a_trap_entry_is_a_frame_and_the_interrupted_place_another, setup),
        cmocka_unit_test_setup(the_interrupted_place_comes_with_its_registers, setup),
        cmocka_unit_test_setup(traps_are_crossed_wherever_they_came, setup),
        cmocka_unit_test_setup(traps_within_traps_are_crossed_over_all_stacks, setup),
        cmocka_unit_test_setup(a_snapshot_begins_in_the_middle_of_its_function, setup),
        cmocka_unit_test_setup(inside_a_trap_entry_the_chain_stops_with_a_reason, setup),
        cmocka_unit_test_setup(a_partial_snapshot_gives_its_own_place_and_a_reason, setup),
        cmocka_unit_test_setup(runaway_recursion_is_named_from_inside_the_guard, setup),
        cmocka_unit_test_setup(a_stack_pointer_in_no_stack_ends_the_chain, setup),
        cmocka_unit_test_setup(frames_are_read_up_to_the_stacks_very_ends, setup),
        cmocka_unit_test_setup(frames_outside_the_stack_are_not_read, setup),
        cmocka_unit_test_setup(a_return_address_is_read_from_the_top_word_and_not_beyond, setup),
        cmocka_unit_test_setup(misaligned_frame_pointers_end_the_chain, setup),
        cmocka_unit_test_setup(frames_never_go_backwards, setup),
        cmocka_unit_test_setup(return_addresses_must_be_in_the_text, setup),
        cmocka_unit_test_setup(a_trap_frame_must_lie_in_the_stack_as_a_whole, setup),
        cmocka_unit_test_setup(a_trap_frame_that_leads_down_its_stack_ends_the_chain, setup),
        cmocka_unit_test_setup(two_stacks_that_lead_to_each_other_are_walked_once, setup),
        cmocka_unit_test_setup(more_stacks_than_contexts_nest_end_the_chain, setup),
        cmocka_unit_test_setup(each_reason_has_words_of_its_own, setup),
        cmocka_unit_test_setup(every_chain_that_a_machine_can_make_is_found_whole, setup),
        cmocka_unit_test_setup(no_noise_leads_out_of_the_stacks_or_round, setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
