/* SPDX-License-Identifier: BSD-2-Clause */
/* See unwind_machine.h. Linked by the tests of the unwinder, and by tests/fuzz. */
#include "tests/unit/unwind_machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arch/memory.h"
#include "core/lib/refusal.h"
#include "core/symbols/symbols.h"
#include "tests/unit/fake_unwind_table.h"
#include "tests/unit/random.h"

#define WORD sizeof(uint64_t)

/* --- Code. --- */

uint8_t machine_text[TEXT_SIZE] __attribute__((aligned(4096)));

uintptr_t machine_at(unsigned offset)
{
    return (uintptr_t)machine_text + offset;
}

uintptr_t function_start(unsigned function)
{
    return machine_at(function * FUNCTION_SIZE);
}

uintptr_t body_of(unsigned function)
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
    uintptr_t offset = address - (uintptr_t)machine_text;

    if (offset >= NAMELESS * FUNCTION_SIZE)
        return false;
    *found = (struct symbol){.name = "function",
                             .address = function_start((unsigned)(offset / FUNCTION_SIZE)),
                             .size = FUNCTION_SIZE,
                             .kind = 't'};
    return true;
}

/* --- Its table. --- */

#define ROWS_MOST 1024

static struct table_row rows[ROWS_MOST];
static size_t row_count;
static struct table table;

static void add(unsigned offset, struct unwind_rule rule)
{
    assert_true(row_count < ROWS_MOST);
    assert_true(row_count == 0 || rows[row_count - 1].offset < offset);
    rows[row_count++] = (struct table_row){.offset = offset, .rule = rule};
}

static struct unwind_rule rule_of(enum unwind_rule_kind kind, unsigned base, int cfa_offset)
{
    return (struct unwind_rule){
        .kind = (uint8_t)kind, .base = (uint8_t)base, .cfa_offset = cfa_offset};
}

/* `words` between sp and the return address; `saved`: how far below that the caller's rbp is. */
static struct unwind_rule plain_rule(unsigned words, unsigned saved)
{
    struct unwind_rule rule =
        rule_of(UNWIND_RULE_CALL, UNWIND_BASE_STACK_POINTER, (int)(WORD * (words + 1)));

    if (saved) {
        rule.saved = UNWIND_SAVED_AT_CFA;
        rule.saved_offset = -(int)(WORD * (saved + 1));
    }
    return rule;
}

static struct unwind_rule frame_rule(int cfa_offset, enum unwind_rule_saved saved, int saved_offset)
{
    struct unwind_rule rule = rule_of(UNWIND_RULE_CALL, UNWIND_BASE_FRAME_POINTER, cfa_offset);

    rule.saved = (uint8_t)saved;
    rule.saved_offset = saved_offset;
    return rule;
}

static struct unwind_rule no_rule(void)
{
    return (struct unwind_rule){.kind = UNWIND_RULE_NONE};
}

static struct unwind_rule outermost_rule(void)
{
    return (struct unwind_rule){.kind = UNWIND_RULE_OUTERMOST};
}

static void add_function(unsigned function)
{
    unsigned start = function * FUNCTION_SIZE;

    if (function == BOOT) {
        add(start, outermost_rule());
        add(start + FUNCTION_SIZE, no_rule());
        return;
    }
    add(start, plain_rule(0, 0));
    if (function == FLAGS_LEAF) {
        add(start + 1, plain_rule(1, 0));
        add(start + 2, plain_rule(0, 0));
    } else if (function != LEAF) {
        add(start + 1, plain_rule(1, 1));
        add(start + BODY, frame_rule(2 * WORD, UNWIND_SAVED_AT_CFA, -2 * (int)WORD));
        add(start + EPILOGUE + 1, plain_rule(0, 0));
    }
}

static void add_direct_codes(void)
{
    for (unsigned words = 0; words < DIRECT_WORDS; words++)
        for (unsigned saved = 0; saved < DIRECT_SAVED; saved++)
            add(DIRECT(words, saved), saved <= words ? plain_rule(words, saved) : no_rule());
    add(DIRECT(DIRECT_WORDS, 0), no_rule());
}

static void add_listed(void)
{
    for (unsigned n = 0; n < LISTED_COUNT; n++)
        add(LISTED(n), plain_rule(LISTED_WORDS(n), n % 2 ? LISTED_SAVED(n) : 0));
}

static void add_realigned(void)
{
    struct unwind_rule body = frame_rule(-(int)WORD, UNWIND_SAVED_AT_FRAME, 0);
    struct unwind_rule mixed = frame_rule(7 * WORD, UNWIND_SAVED_AT_FRAME, WORD);

    mixed.base = UNWIND_BASE_STACK_POINTER;
    body.indirect = 1;
    add(REALIGNED_ENTRY, rule_of(UNWIND_RULE_CALL, 10, 0));
    add(REALIGNED_BODY, body);
    add(AT_FRAME, frame_rule(5 * WORD, UNWIND_SAVED_AT_FRAME, WORD));
    add(SP_AT_FRAME, mixed);
    add(OUTERMOST, outermost_rule());
    add(TRAP_AT_FRAME,
        rule_of(UNWIND_RULE_TRAP_REGS, UNWIND_BASE_FRAME_POINTER, sizeof(struct regs)));
    add(HALF_AT_FRAME, rule_of(UNWIND_RULE_TRAP, UNWIND_BASE_FRAME_POINTER, 0));
    add(RULELESS, no_rule());
}

static void add_steps(void)
{
    for (unsigned i = 0; i < STEPS_WORDS; i++)
        add(STEPS + i, plain_rule(i, 0));
    for (unsigned i = 0; i < STEPS_WORDS; i++)
        add(STEPS + STEPS_WORDS + i, plain_rule(STEPS_WORDS - 1 - i, 0));
}

static void add_registers(void)
{
    for (unsigned base = 0; base < UNWIND_BASE_COUNT; base++)
        add(REGISTER(base), rule_of(UNWIND_RULE_CALL, base, 2 * WORD));
    add(REGISTER(UNWIND_BASE_COUNT), no_rule());
}

static void add_entry(void)
{
    struct unwind_rule half = rule_of(UNWIND_RULE_TRAP, UNWIND_BASE_STACK_POINTER, 18 * WORD);

    half.saved = UNWIND_SAVED_AT_CFA;
    half.saved_offset = -18 * (int)WORD;
    add(ENTRY, rule_of(UNWIND_RULE_TRAP, UNWIND_BASE_STACK_POINTER, 5 * WORD));
    add(ENTRY_VECTOR, rule_of(UNWIND_RULE_TRAP, UNWIND_BASE_STACK_POINTER, 7 * WORD));
    add(ENTRY_HALF, half);
    add(ENTRY_WHOLE,
        rule_of(UNWIND_RULE_TRAP_REGS, UNWIND_BASE_STACK_POINTER, sizeof(struct regs)));
    add(ENTRY_LEFT, rule_of(UNWIND_RULE_TRAP, UNWIND_BASE_STACK_POINTER, 5 * WORD));
}

static void build_table(void)
{
    const struct table_text text = {
        .address = (uintptr_t)machine_text, .size = TEXT_SIZE, .build_id = arch_build_id()};

    for (unsigned function = 0; function < FUNCTIONS; function++)
        add_function(function);
    add_direct_codes();
    add_listed();
    add_realigned();
    add(NORETURN, plain_rule(3, 0));
    add(NORETURN_END, plain_rule(9, 0));
    add_steps();
    add_registers();
    add(FAR, plain_rule(4, 2));
    add_entry();
    table_build(&table, rows, row_count, &text);
}

const struct table *machine_table(void)
{
    if (!table.bytes)
        build_table();
    return &table;
}

const struct table_row *machine_rows(size_t *count)
{
    machine_table();
    *count = row_count;
    return rows;
}

/* --- The machine. --- */

const struct arch_stack *machine_stacks[FAKE_STACKS_MAX];

void machine_push(struct machine *machine, uint64_t value)
{
    machine->sp -= WORD;
    *(uint64_t *)machine->sp = value;
}

static void note(struct machine *machine, uintptr_t address)
{
    assert_true(machine->depth < DEPTH_MOST);
    machine->callers[machine->depth++] = address;
}

struct machine machine_start(void)
{
    return (struct machine){.ip = body_of(BOOT), .sp = machine_stacks[0]->high, .stacks = 1};
}

struct machine machine_three_calls_deep(void)
{
    struct machine machine = machine_start();

    for (unsigned function = 0; function < 3; function++) {
        machine_call(&machine, function);
        machine_prologue(&machine, function);
    }
    return machine;
}

static void call(struct machine *machine, uintptr_t address)
{
    note(machine, machine->ip);
    machine_push(machine, machine->ip);
    machine->ip = address;
}

void machine_call(struct machine *machine, unsigned function)
{
    call(machine, function_start(function));
}

void machine_prologue(struct machine *machine, unsigned locals)
{
    machine_push(machine, machine->fp);
    machine->fp = machine->sp;
    machine->sp -= WORD * locals;
    machine->ip += 0x20;
}

void machine_call_at(struct machine *machine, unsigned offset, unsigned words, unsigned saved)
{
    call(machine, machine_at(offset));
    for (unsigned i = 1; i <= words; i++)
        machine_push(machine, i == saved ? machine->fp : i);
    if (saved)
        machine->fp = 0x1234567;
    machine->ip += 1;
}

/* Like gcc: r10 is the CFA, which is saved in the frame's word below rbp. */
void machine_call_realigned(struct machine *machine, unsigned misalignment)
{
    uintptr_t cfa = machine->sp;

    call(machine, machine_at(REALIGNED_BODY));
    machine->sp -= WORD * misalignment;
    machine_push(machine, machine->ip);
    machine_push(machine, machine->fp);
    machine->fp = machine->sp;
    machine_push(machine, cfa);
    machine->sp -= 4 * WORD;
}

struct regs machine_regs(const struct machine *machine)
{
    return (struct regs){.ip = machine->ip,
                         .sp = machine->sp,
                         .bp = machine->fp,
                         .flags = FLAGS_FIXED,
                         .cs = KERNEL_CODE_SELECTOR};
}

static void take_trap(struct machine *machine, bool other_stack, unsigned words)
{
    struct regs regs = machine_regs(machine);
    size_t size = words * WORD;

    note(machine, machine->ip);
    machine->sp = other_stack ? machine_stacks[machine->stacks++]->high : machine->sp & ~15ull;
    machine->sp -= size;
    memcpy((void *)machine->sp, (const char *)&regs + sizeof(regs) - size, size);
}

void machine_trap(struct machine *machine, bool other_stack, uintptr_t handler)
{
    take_trap(machine, other_stack, sizeof(struct regs) / WORD);
    machine->ip = machine_at(TRAP_RETURN);
    call(machine, handler);
}

void machine_trap_half(struct machine *machine, bool other_stack, unsigned offset, unsigned words)
{
    take_trap(machine, other_stack, words);
    machine->ip = machine_at(offset);
}

void machine_place_text(void)
{
    fake_arch.text_start = (uintptr_t)machine_text;
    fake_arch.text_plain_end = machine_at(TEXT_PLAIN_END);
    fake_arch.text_end = machine_at(TEXT_SIZE);
    fake_arch.trap_return = machine_at(TRAP_RETURN);
}

int machine_setup(void **state)
{
    static const char *const names[FAKE_STACKS_MAX] = {"task", "exception", "debug",
                                                       "nmi",  "fault",     "one too many"};
    struct refusal why = {.text = ""};

    fake_arch_reset(state);
    memset(machine_text, 0xcc, sizeof(machine_text));
    for (unsigned function = 0; function < FUNCTIONS; function++)
        write_function(function);
    machine_place_text();
    for (unsigned i = 0; i < FAKE_STACKS_MAX; i++)
        machine_stacks[i] = fake_stack_add(names[i], STACK_WORDS);
    fake_unwind_table_fill(machine_table()->bytes, machine_table()->size);
    if (unwind_init(&why) != 0)
        fail_msg("the machine's table is refused: %s", why.text);
    return 0;
}

/* --- Walks. --- */

static void assert_captured(enum unwind_method method, const struct regs *regs,
                            const struct walk *walk, unsigned skip, size_t most)
{
    uint64_t *chain = malloc(most * sizeof(*chain) + 1);
    size_t expected = walk->count > skip ? walk->count - skip : 0;

    expected = expected < most ? expected : most;
    assert_int_equal(unwind_capture_by(method, regs, skip, chain, most), expected);
    assert_memory_equal(chain, walk->ip + skip, expected * sizeof(*chain));
    if (skip == 0 && method == unwind_default()) {
        assert_int_equal(unwind_capture_by(unwind_default(), regs, 0, chain, most), expected);
        assert_memory_equal(chain, walk->ip, expected * sizeof(*chain));
    }
    free(chain);
}

static void assert_frame(const struct unwind *frame, const struct regs *regs, size_t number)
{
    assert_true(number < WALK_MOST);
    if (number == 0)
        assert_ptr_equal(frame->regs, regs);
    else if (frame->kind == UNWIND_CALL)
        assert_null(frame->regs);
    else
        assert_int_equal(frame->kind, UNWIND_TRAP);
    assert_int_equal(unwind_is_exact(frame), frame->kind != UNWIND_CALL);
}

struct walk walk_by(enum unwind_method method, const struct regs *regs)
{
    struct walk walk = {.count = 0};
    struct unwind state;

    for (unwind_start_by(method, &state, regs); !unwind_done(&state); unwind_next(&state)) {
        assert_frame(&state, regs, walk.count);
        walk.ip[walk.count] = state.ip;
        walk.kind[walk.count++] = (uint8_t)state.kind;
    }
    walk.end = state.end;
    unwind_next(&state);
    assert_int_equal(state.end, walk.end);
    for (unsigned skip = 0; skip < 4; skip++)
        assert_captured(method, regs, &walk, skip, walk.count + 1);
    assert_captured(method, regs, &walk, (unsigned)walk.count, 8);
    assert_captured(method, regs, &walk, (unsigned)walk.count + 1, 8);
    assert_captured(method, regs, &walk, 0, walk.count);
    assert_captured(method, regs, &walk, 0, walk.count / 2);
    assert_captured(method, regs, &walk, 0, 1);
    assert_captured(method, regs, &walk, 0, 0);
    return walk;
}

struct walk walk_from(const struct regs *regs)
{
    return walk_by(unwind_default(), regs);
}

void assert_chain_from(const struct machine *machine, const struct regs *regs)
{
    struct walk walk = walk_from(regs);

    if (walk.end != UNWIND_OUTERMOST)
        fail_msg("frame %zu: %s", walk.count, unwind_reason(walk.end));
    assert_int_equal(walk.count, machine->depth + 1);
    assert_int_equal(walk.ip[0], machine->ip);
    for (unsigned i = 0; i < machine->depth; i++)
        assert_int_equal(walk.ip[i + 1], machine->callers[machine->depth - 1 - i]);
}

void assert_chain(const struct machine *machine)
{
    struct regs regs = machine_regs(machine);

    assert_chain_from(machine, &regs);
}

void assert_walk(const struct regs *regs, size_t count, enum unwind_end end)
{
    struct walk walk = walk_from(regs);

    if (walk.end != end)
        fail_msg("\"%s\", not \"%s\"", unwind_reason(walk.end), unwind_reason(end));
    assert_int_equal(walk.count, count);
}

/* --- Random numbers. --- */

void chance_begin(uint32_t seed)
{
    random_begin(seed);
}

unsigned chance(unsigned sides)
{
    return random_below(sides);
}

static uint64_t noise(const struct arch_stack *const *stacks, unsigned count)
{
    const struct arch_stack *stack = stacks[chance(count)];
    uint64_t words = (stack->high - stack->low) / WORD;

    switch (chance(20)) {
    case 0:
        return 0;
    case 1:
        return random_word();
    case 2:
        return stack->low - WORD * chance(600);
    case 3:
        return stack->high - WORD + 4 * chance(8);
    case 4:
        return stack->low + chance((unsigned)(words * WORD));
    case 5:
    case 6:
    case 7:
    case 8:
        return machine_at(TRAP_RETURN);
    case 9:
        return machine_at(chance(FUNCTIONS * FUNCTION_SIZE));
    case 10:
        return body_of(chance(FUNCTIONS));
    case 11:
        return UINTPTR_MAX - chance(64);
    case 12:
        return machine_at(DIRECT(chance(DIRECT_WORDS), 0) + 1 + chance(64));
    case 13:
        return machine_at(ENTRY + chance(ENTRY_LEFT + 16 - ENTRY));
    case 14:
        return machine_at(LISTED_END + chance(REGISTER(UNWIND_BASE_COUNT) - LISTED_END));
    default:
        return stack->low + WORD * chance((unsigned)words);
    }
}

void fill_with_noise(void *memory, size_t words, const struct arch_stack *const *stacks,
                     unsigned count)
{
    const size_t frame_cs = 1 + offsetof(struct regs, cs) / WORD; /* from the return address on */
    uint64_t *word = memory;

    for (size_t i = 0; i < words; i++)
        word[i] = noise(stacks, count);
    /* Most apparent trap frames are the kernel's, otherwise almost all chains would end there. */
    for (size_t i = 0; i + frame_cs < words; i++)
        if (word[i] == machine_at(TRAP_RETURN) && chance(4))
            word[i + frame_cs] = KERNEL_CODE_SELECTOR;
}
