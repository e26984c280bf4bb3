/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples word by word: every set of optional fields in the order that <linux/perf_event.h> gives
 * for PERF_RECORD_SAMPLE, registers in the order of <asm/perf_regs.h>, chains up to their limit,
 * and the throttle's records. The test parses samples by hand; sample_view must read the same.
 *
 * links: core/unwind/default_fp.c tests/unit/fake_arch.c tests/unit/fake_preempt.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <asm/perf_regs.h>
#include <cmocka.h>

#include "arch/regs.h"
#include "core/lib/refusal.h"
#include "core/sample/records.h"
#include "core/sample/sample.h"
#include "core/symbols/symbols.h"
#include "core/task.h"
#include "core/tracepoint/tracepoint.h"
#include "core/unwind/unwind.h"
#include "kernel/sched/preempt.h"
#include "tests/unit/fake_arch.h"

#define TEXT        0xffffffff80100000
#define ADDRESS     0xffffffff80200040
#define RING_SIZE   4096
#define STACK_WORDS 1024
#define PERIOD      9    /* of the event, if a sample does not contain it */
#define WEIGHT      11   /* a hit's period */
#define TIME        5000 /* of the first record; each later one is 1 ns later */
#define CPU         3

static struct ring ring;
static struct regs regs;
static const struct arch_stack *stack;

/* Finds no name: here only the search for a function's frame calls this. */
bool symbols_find_address(uintptr_t address, struct symbol *found)
{
    (void)address;
    (void)found;
    return false;
}

/* Distinct registers, in a stack without frames. */
static void fill_registers(void)
{
    uint64_t *word = (uint64_t *)&regs;

    for (size_t i = 0; i < sizeof(regs) / sizeof(*word); i++)
        word[i] = 0x1111111111111111 * (i % 15 + 1) + i;
    regs.ip = TEXT + 0x123;
    regs.sp = stack->low;
    regs.bp = 0;
    regs.cs = KERNEL_CODE_SELECTOR;
    regs.flags = FLAGS_FIXED; /* interrupts off */
}

static int setup(void **state)
{
    static uint64_t memory[RING_SIZE / 8];
    struct refusal why;

    fake_arch_reset(state);
    fake_arch.clock = TIME;
    fake_arch.clock_step = 1;
    fake_arch.cpu = CPU;
    fake_arch.text_start = TEXT;
    fake_arch.text_plain_end = fake_arch.text_end = TEXT + 0x1000;
    stack = fake_stack_add("task", STACK_WORDS);
    fill_registers();
    unwind_init(&why); /* without a table: frame pointers */
    verify_chain_reset();
    assert_int_equal(ring_init(&ring, memory, sizeof(memory), RING_NORMAL, false, NULL), 0);
    return 0;
}

/* A record with 20 bytes after its size. */
static const struct {
    struct tracepoint_raw raw;
    uint32_t rest[2];
} whole_record = {{20, {7, TRACEPOINT_IRQS_OFF, 2, TASK_PID, TASK_PID}}, {0x55667788, 0x11223344}};
static bool traced; /* false: the event's source writes no record */

static char *make_rest(const struct pitot_tracepoint *tracepoint, char *restrict record,
                       const uint64_t *restrict argument)
{
    (void)tracepoint;
    memcpy(record + sizeof(struct tracepoint_head), argument, sizeof(*argument));
    return record + whole_record.raw.size;
}

static struct pitot_tracepoint tracepoint = {.id = 7, .make = make_rest, .raw_size = 20};

static struct sample_plan plan_by(uint64_t optional, uint64_t registers,
                                  const struct sample_chain *chain)
{
    const struct perf_event_attr attr = {.sample_type = SAMPLE_ALWAYS | optional,
                                         .sample_id_all = 1,
                                         .sample_period = PERIOD,
                                         .sample_regs_intr = registers};

    return sample_plan_make(77, &attr, chain, traced ? &tracepoint : NULL);
}

static struct sample_plan plan_of(uint64_t optional, uint64_t registers)
{
    return plan_by(optional, registers, &(struct sample_chain){.method = UNWIND_BY_FRAME_POINTER});
}

/* With the chain of the n-th caller. */
static struct sample_plan plan_that_skips(unsigned skip, uint64_t optional, uint64_t registers)
{
    return plan_by(PERF_SAMPLE_CALLCHAIN | optional, registers,
                   &(struct sample_chain){.method = UNWIND_BY_FRAME_POINTER, .skip = skip});
}

/* The only record in the ring. */
static const struct perf_event_header *only_record(void)
{
    static uint64_t record[RING_SIZE / 8];
    struct ring_reader reader;

    ring_reader_start(&reader, &ring);
    assert_int_equal(ring_read(&reader, record, sizeof(record)), RING_READ_RECORD);
    assert_int_equal(reader.position, ring.published);
    return (const struct perf_event_header *)record;
}

static const uint64_t *words_of(const struct perf_event_header *record)
{
    return (const uint64_t *)(record + 1);
}

static size_t word_count(const struct perf_event_header *record)
{
    assert_int_equal(record->size % 8, 0);
    return (record->size - sizeof(*record)) / 8;
}

/* Adjacent frames, each with its own return address. */
static void put_frames(unsigned count)
{
    uint64_t *word = (uint64_t *)stack->low;

    regs.bp = count ? stack->low : 0;
    for (unsigned i = 0; i < count; i++) {
        word[2 * i] = i + 1 < count ? stack->low + 16 * (i + 1) : 0;
        word[2 * i + 1] = TEXT + 0x200 + i;
    }
}

static const uint64_t *assert_chain(const uint64_t *word, unsigned frames)
{
    assert_int_equal(*word++, frames + 2);
    assert_int_equal(*word++, (uint64_t)PERF_CONTEXT_KERNEL);
    assert_int_equal(*word++, regs.ip);
    for (unsigned i = 0; i < frames; i++)
        assert_int_equal(*word++, TEXT + 0x200 + i);
    return word;
}

/* The register for perf's bit. */
static uint64_t register_of(unsigned bit)
{
    const uint64_t by_bit[PERF_REG_X86_64_MAX] = {
        [PERF_REG_X86_AX] = regs.ax,   [PERF_REG_X86_BX] = regs.bx,
        [PERF_REG_X86_CX] = regs.cx,   [PERF_REG_X86_DX] = regs.dx,
        [PERF_REG_X86_SI] = regs.si,   [PERF_REG_X86_DI] = regs.di,
        [PERF_REG_X86_BP] = regs.bp,   [PERF_REG_X86_SP] = regs.sp,
        [PERF_REG_X86_IP] = regs.ip,   [PERF_REG_X86_FLAGS] = regs.flags,
        [PERF_REG_X86_CS] = regs.cs,   [PERF_REG_X86_SS] = regs.ss,
        [PERF_REG_X86_R8] = regs.r8,   [PERF_REG_X86_R9] = regs.r9,
        [PERF_REG_X86_R10] = regs.r10, [PERF_REG_X86_R11] = regs.r11,
        [PERF_REG_X86_R12] = regs.r12, [PERF_REG_X86_R13] = regs.r13,
        [PERF_REG_X86_R14] = regs.r14, [PERF_REG_X86_R15] = regs.r15,
    };

    return by_bit[bit];
}

static const uint64_t *assert_registers(const uint64_t *word, uint64_t mask)
{
    assert_int_equal(*word++, PERF_SAMPLE_REGS_ABI_64);
    for (unsigned bit = 0; bit < 64; bit++)
        if (mask >> bit & 1)
            assert_int_equal(*word++, register_of(bit));
    return word;
}

/* The hit for which the record is written. */
static struct trace_hit *hit_of_record(void)
{
    static uint64_t rest = 0x1122334455667788;
    static const struct arch_place place = {.ip = TEXT + 0x77, .flags = FLAGS_INTERRUPT};
    static struct trace_hit hit;

    pitot_preemption[CPU].off = 2;
    hit = (struct trace_hit){.tracepoint = &tracepoint,
                             .place = &place,
                             .argument = &rest,
                             .ids = task_current_ids(),
                             .cpu = CPU};
    return &hit;
}

/*
 * Checks the size, then the bytes, in whole words; an event without a record has size 4 and 4
 * bytes.
 */
static const uint64_t *assert_raw(const uint64_t *word)
{
    if (!traced) {
        assert_int_equal(*word++, sizeof(uint32_t));
        return word;
    }
    assert_memory_equal(word, &whole_record, sizeof(whole_record));
    return word + 3;
}

/* Checks a whole sample, field by field in the ABI's order, and that no word follows. */
static void assert_sample(const struct perf_event_header *record, const struct sample_plan *plan,
                          unsigned frames)
{
    const uint64_t *word = words_of(record);

    assert_int_equal(record->type, PERF_RECORD_SAMPLE);
    assert_int_equal(record->misc, PERF_RECORD_MISC_KERNEL);
    assert_int_equal(*word++, plan->id);
    assert_int_equal(*word++, regs.ip);
    assert_int_equal(*word++, (uint64_t)TASK_PID << 32 | TASK_PID);
    assert_int_equal(*word++, TIME);
    assert_int_equal(*word++, ADDRESS);
    assert_int_equal(*word++, CPU);
    if (plan->type & PERF_SAMPLE_PERIOD)
        assert_int_equal(*word++, WEIGHT);
    if (plan->type & PERF_SAMPLE_CALLCHAIN)
        word = assert_chain(word, frames);
    if (plan->type & PERF_SAMPLE_RAW)
        word = assert_raw(word);
    if (plan->type & PERF_SAMPLE_REGS_INTR)
        word = assert_registers(word, plan->registers);
    assert_int_equal(word - words_of(record), word_count(record));
}

static void assert_view(const struct perf_event_header *record, const struct sample_plan *plan,
                        unsigned frames)
{
    const struct recorded_event event = {.id = plan->id,
                                         .attr = {.sample_type = plan->type,
                                                  .sample_period = PERIOD,
                                                  .sample_regs_intr = plan->registers}};
    uint64_t type = plan->type;
    struct sample_view view;

    assert_true(sample_view_parse(record, &event, 1, &view));
    assert_int_equal(view.ip, regs.ip);
    assert_int_equal(view.time, TIME);
    assert_int_equal(view.addr, ADDRESS);
    assert_int_equal(view.cpu, CPU);
    assert_int_equal(view.pid, TASK_PID);
    assert_int_equal(view.period, type & PERF_SAMPLE_PERIOD ? WEIGHT : PERIOD);
    assert_int_equal(view.chain_length, type & PERF_SAMPLE_CALLCHAIN ? frames + 2 : 0);
    if (type & PERF_SAMPLE_RAW && !traced) {
        assert_int_equal(view.raw_size, sizeof(uint32_t));
    } else if (type & PERF_SAMPLE_RAW) {
        assert_int_equal(view.raw_size, whole_record.raw.size);
        assert_memory_equal(view.raw, &whole_record.raw.head, whole_record.raw.size);
    } else {
        assert_null(view.raw);
    }
    if (type & PERF_SAMPLE_REGS_INTR)
        assert_int_equal(view.registers[0], regs.ax);
}

static void put_sample(const struct sample_plan *plan, uint64_t address,
                       const struct regs *registers)
{
    struct trace_hit *record;

    if (!traced) {
        sample_take(plan, &ring, address, registers, task_current_ids(), WEIGHT);
        return;
    }
    record = hit_of_record();
    record->regs = registers;
    sample_take_traced(plan, &ring, record, address, WEIGHT);
}

static void each_set_of_fields_is_laid_out_as_the_abi_says(void **state)
{
    static const uint64_t optional[] = {PERF_SAMPLE_PERIOD, PERF_SAMPLE_CALLCHAIN,
                                        PERF_SAMPLE_REGS_INTR, PERF_SAMPLE_RAW};

    traced = true;
    for (unsigned set = 0; set < 16; set++)
        for (unsigned frames = 0; frames < 4; frames++) {
            uint64_t type = 0;
            struct sample_plan plan;

            for (unsigned i = 0; i < 4; i++)
                type |= set >> i & 1 ? optional[i] : 0;
            setup(state);
            put_frames(frames);
            plan = plan_of(type, ARCH_SAMPLED);
            put_sample(&plan, ADDRESS, &regs);
            assert_sample(only_record(), &plan, frames);
            assert_view(only_record(), &plan, frames);
        }
    assert_int_equal(SAMPLE_OPTIONAL, optional[0] | optional[1] | optional[2] | optional[3]);
    traced = false;
}

/*
 * Repeated, so that the ring's end comes at every word of a sample: it is whole there, too, by each
 * writer, and so is the next one.
 */
static void each_set_of_fields_is_whole_across_the_rings_end(void **state)
{
    static const uint64_t optional[] = {PERF_SAMPLE_PERIOD, PERF_SAMPLE_CALLCHAIN,
                                        PERF_SAMPLE_REGS_INTR, PERF_SAMPLE_RAW};

    traced = true;
    for (unsigned set = 0; set < 16; set++) {
        static const struct perf_event_header word = {.size = sizeof(word)};
        static uint64_t record[RING_SIZE / 8];
        struct ring_reader reader;
        struct sample_plan plan;
        uint64_t type = 0, time;
        unsigned across = 0;

        for (unsigned i = 0; i < 4; i++)
            type |= set >> i & 1 ? optional[i] : 0;
        setup(state);
        fake_arch.clock_step = 0;
        put_frames(3);
        plan = plan_of(type, ARCH_SAMPLED);
        ring_reader_start(&reader, &ring);
        ring_output(&ring, &word, sizeof(word), &time); /* or some end at the ring's end */
        assert_int_equal(ring_read(&reader, record, sizeof(record)), RING_READ_RECORD);
        for (unsigned laps = 0; laps < 8 * RING_SIZE;) {
            uint64_t start = reader.position % RING_SIZE;
            const struct perf_event_header *header = (const struct perf_event_header *)record;

            put_sample(&plan, ADDRESS, &regs);
            assert_int_equal(ring_read(&reader, record, sizeof(record)), RING_READ_RECORD);
            ring_consume(&ring, &reader);
            assert_sample(header, &plan, 3);
            across += start + header->size > RING_SIZE;
            laps += header->size;
        }
        assert_in_range(across, 4, 8);
    }
    traced = false;
}

/* The place had no registers: the sample takes what it reports about them from the place itself. */
static void a_hit_at_a_place_needs_no_registers(void **state)
{
    static const uint64_t types[] = {0, PERF_SAMPLE_RAW, PERF_SAMPLE_RAW | PERF_SAMPLE_CALLCHAIN,
                                     PERF_SAMPLE_CALLCHAIN, PERF_SAMPLE_RAW | PERF_SAMPLE_PERIOD};

    traced = true;
    for (unsigned i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        const uint64_t *word;
        struct sample_plan plan;
        struct tracepoint_raw raw;

        setup(state);
        plan = plan_of(types[i], 0);
        put_sample(&plan, ADDRESS, NULL);
        word = words_of(only_record());
        assert_int_equal(only_record()->misc, PERF_RECORD_MISC_KERNEL);
        assert_int_equal(word[1], TEXT + 0x77);
        assert_int_equal(word[2], (uint64_t)TASK_PID << 32 | TASK_PID);
        word += 6 + !!(types[i] & PERF_SAMPLE_PERIOD);
        if (types[i] & PERF_SAMPLE_CALLCHAIN) {
            assert_int_equal(word[2], TEXT + 0x77);
            word += 1 + word[0];
        }
        if (types[i] & PERF_SAMPLE_RAW) {
            memcpy(&raw, word, sizeof(raw));
            assert_int_equal(raw.size, 20);
            assert_int_equal(raw.head.common_flags, 0); /* interrupts are on there */
            word += 3;
        }
        assert_int_equal(word - words_of(only_record()), word_count(only_record()));
    }
    traced = false;
}

/*
 * The context comes from the registers of the sample, whatever context the tracepoint itself runs
 * in.
 */
static void a_record_tells_what_context_its_sample_is_of(void **state)
{
    for (unsigned set = 0; set < 8; set++) {
        struct sample_plan plan;
        struct tracepoint_raw raw;

        setup(state);
        regs.flags = set & 1 ? 0 : FLAGS_INTERRUPT;
        pitot_preemption[CPU].wanted = set & 2 ? 0x100 : 0; /* a flag of the kernel */
        fake_arch.interrupted = set & 4;
        traced = true;
        plan = plan_of(PERF_SAMPLE_RAW, 0);
        put_sample(&plan, ADDRESS, &regs);
        memcpy(&raw, words_of(only_record()) + 6, sizeof(raw));
        assert_int_equal(raw.head.common_flags, (set & 1 ? TRACEPOINT_IRQS_OFF : 0) |
                                                    (set & 2 ? TRACEPOINT_NEED_RESCHED : 0) |
                                                    (set & 4 ? TRACEPOINT_HARDIRQ : 0));
        assert_int_equal(raw.head.common_preempt_count, 2);
        traced = false;
    }
    pitot_preemption[CPU].wanted = false;
}

static void registers_are_those_that_were_asked_for_in_perfs_order(void **state)
{
    srand(1);
    for (unsigned round = 0; round < 2000; round++) {
        uint64_t mask = round < 24 ? 1ull << round : (uint64_t)rand();
        struct sample_plan plan;

        setup(state);
        plan = plan_of(PERF_SAMPLE_REGS_INTR, mask & ARCH_SAMPLED);
        put_sample(&plan, ADDRESS, &regs);
        assert_sample(only_record(), &plan, 0);
    }
}

static void all_registers_but_the_data_segments_can_be_had(void **state)
{
    uint64_t segments = 1ull << PERF_REG_X86_DS | 1ull << PERF_REG_X86_ES |
                        1ull << PERF_REG_X86_FS | 1ull << PERF_REG_X86_GS;

    (void)state;
    assert_int_equal(ARCH_SAMPLED, ((1ull << PERF_REG_X86_64_MAX) - 1) & ~segments);
}

static void a_chain_holds_127_frames_and_the_rest_is_left_out(void **state)
{
    static const unsigned depths[] = {126, 127, 128, 500};
    struct sample_plan plan = plan_of(SAMPLE_OPTIONAL, ARCH_SAMPLED);

    for (unsigned i = 0; i < 4; i++) {
        setup(state);
        put_frames(depths[i]);
        put_sample(&plan, ADDRESS, &regs);
        assert_sample(only_record(), &plan, SAMPLE_CHAIN_MAX - 1);
        assert_view(only_record(), &plan, SAMPLE_CHAIN_MAX - 1);
    }
}

static void a_chain_begins_at_the_caller_that_its_event_skips_to(void **state)
{
    for (unsigned skip = 0; skip < 6; skip++) {
        struct sample_plan plan = plan_that_skips(skip, 0, 0);
        uint64_t ip = skip == 0 ? regs.ip : skip < 4 ? TEXT + 0x200 + skip - 1 : 0;
        const uint64_t *word;

        setup(state);
        put_frames(3);
        put_sample(&plan, ADDRESS, &regs);
        assert_int_equal(words_of(only_record())[1], ip);
        word = words_of(only_record()) + 6;
        assert_int_equal(*word++, skip < 4 ? 5 - skip : 1);
        assert_int_equal(*word++, (uint64_t)PERF_CONTEXT_KERNEL);
        for (unsigned frame = skip; frame < 4; frame++)
            assert_int_equal(*word++, frame ? TEXT + 0x200 + frame - 1 : regs.ip);
        assert_int_equal(word - words_of(only_record()), word_count(only_record()));
    }
}

/*
 * The registers that are known for a caller, and none of the hit's, which would be mistaken for
 * them.
 */
static void registers_are_the_callers_that_its_event_skips_to(void **state)
{
    static const uint64_t mask = 1ull << PERF_REG_X86_AX | 1ull << PERF_REG_X86_BP |
                                 1ull << PERF_REG_X86_SP | 1ull << PERF_REG_X86_IP;

    for (unsigned skip = 1; skip < 6; skip++) {
        struct sample_plan plan = plan_that_skips(skip, PERF_SAMPLE_REGS_INTR, mask);
        bool found = skip < 4;
        const uint64_t *word;

        setup(state);
        put_frames(3);
        put_sample(&plan, ADDRESS, &regs);
        word = words_of(only_record()) + 6;
        word += *word + 1;
        assert_int_equal(*word++, PERF_SAMPLE_REGS_ABI_64);
        assert_int_equal(*word++, 0);
        assert_int_equal(*word++, skip < 3 ? stack->low + 16 * skip : 0);
        assert_int_equal(*word++, found ? stack->low + 16 * skip : 0);
        assert_int_equal(*word++, found ? TEXT + 0x200 + skip - 1 : 0);
    }
}

static void a_chain_is_made_in_the_way_that_its_event_names(void **state)
{
    /* without a table, only the hit's own frame */
    struct sample_plan plan =
        plan_by(PERF_SAMPLE_CALLCHAIN, 0, &(struct sample_chain){.method = UNWIND_BY_TABLE});

    (void)state;
    put_frames(3);
    put_sample(&plan, ADDRESS, &regs);
    assert_chain(words_of(only_record()) + 6, 0);
}

/* The table's chain ends after one frame here. */
static void chains_are_made_both_ways_where_the_event_asks_for_it(void **state)
{
    const struct sample_chain both = {
        .method = UNWIND_BY_FRAME_POINTER,
        .verify = true,
        .skip = 2 /* of the recorded chain, not of the compared ones */
    };
    struct sample_plan plan = plan_of(PERF_SAMPLE_CALLCHAIN, 0);

    (void)state;
    put_frames(3);
    put_sample(&plan, ADDRESS, &regs);
    assert_int_equal(verify_chain_counts().chains, 0);
    plan = plan_by(PERF_SAMPLE_CALLCHAIN, 0, &both);
    put_sample(&plan, ADDRESS, &regs);
    assert_int_equal(verify_chain_counts().chains, 1);
    assert_int_equal(verify_chain_counts().differ, 1);
    assert_int_equal(verify_chain_counts().first.ip, regs.ip);
    assert_int_equal(verify_chain_counts().first.frame, 1);
    plan = plan_by(0, 0, &both);
    put_sample(&plan, ADDRESS, &regs);
    assert_int_equal(verify_chain_counts().chains, 1);
}

/*
 * If such a plan were accepted, the error would only show in the rings, or it would write past the
 * scratch memory.
 */
static void a_plan_of_what_no_sample_has_breaks_a_claim(void **state)
{
    const struct sample_chain chain = {.method = UNWIND_BY_FRAME_POINTER};
    const struct sample_chain deep = {.skip = SAMPLE_CHAIN_MAX};
    const struct perf_event_attr least = {.sample_type = SAMPLE_ALWAYS},
                                 less = {.sample_type = SAMPLE_ALWAYS & ~PERF_SAMPLE_TIME},
                                 more = {.sample_type = SAMPLE_ALWAYS | PERF_SAMPLE_WEIGHT},
                                 segments = {.sample_type = SAMPLE_ALWAYS,
                                             .sample_regs_intr = 1 << PERF_REG_X86_DS};

    (void)state;
    assert_int_equal(sample_plan_make(1, &least, &chain, NULL).type, SAMPLE_ALWAYS);
    expect_assert_failure(sample_plan_make(1, &less, &chain, NULL));
    expect_assert_failure(sample_plan_make(1, &more, &chain, NULL));
    expect_assert_failure(sample_plan_make(1, &segments, &chain, NULL));
    expect_assert_failure(sample_plan_make(1, &least, &deep, NULL));
}

/* --- Programs: code at USER_TEXT, every function with a frame, frames adjacent. --- */

#define USER_TEXT   0x401000
#define USER_STACK  0x7fff00000000
#define USER_FRAMES 200

static unsigned long asked_for; /* the stack whose program was read last */

static int program_read(unsigned cpu, unsigned long of, unsigned long address, void *to,
                        unsigned long length)
{
    const uintptr_t end = USER_STACK + 16 * USER_FRAMES;

    (void)cpu;
    asked_for = of;
    if (address < USER_STACK)
        memset(to, 0x90, length);
    for (size_t at = 0; address >= USER_STACK && at < length; at += 8) {
        uint64_t frame = (address + at - USER_STACK) / 16;
        uint64_t return_address = USER_TEXT + 0x200 + frame, next = USER_STACK + 16 * (frame + 1);

        if (address + at >= end)
            return false;
        memcpy((char *)to + at, (address + at) % 16 ? &return_address : &next, 8);
    }
    return true;
}

static unsigned process(unsigned cpu, unsigned long of, const struct pitot_program **program)
{
    (void)cpu, (void)of;
    *program = NULL;
    return 1;
}

static struct regs user_registers(void)
{
    host.process = process;
    host.process_read = program_read;
    return (struct regs){.ip = USER_TEXT,
                         .sp = USER_STACK,
                         .bp = USER_STACK,
                         .cs = USER_CODE_SELECTOR,
                         .flags = FLAGS_FIXED};
}

static const uint64_t *assert_user_part(const uint64_t *word, unsigned from, unsigned count)
{
    assert_int_equal(*word++, (uint64_t)PERF_CONTEXT_USER);
    for (unsigned i = from; i < from + count; i++)
        assert_int_equal(*word++, i ? USER_TEXT + 0x200 + i - 1 : USER_TEXT);
    return word;
}

static void a_hit_in_a_program_has_its_chain_alone(void **state)
{
    /* `verify`: ignored, as the kernel's part is empty */
    struct sample_plan plan = plan_by(
        PERF_SAMPLE_CALLCHAIN, 0,
        &(struct sample_chain){.method = UNWIND_BY_FRAME_POINTER, .skip = 3, .verify = true});
    struct regs user = user_registers();
    const uint64_t *word;

    (void)state;
    put_sample(&plan, ADDRESS, &user);
    assert_int_equal(only_record()->misc, PERF_RECORD_MISC_USER);
    assert_int_equal(words_of(only_record())[1], USER_TEXT + 0x200 + 2);
    word = words_of(only_record()) + 6;
    assert_int_equal(*word++, SAMPLE_CHAIN_MAX + 1);
    word = assert_user_part(word, 3, SAMPLE_CHAIN_MAX);
    assert_int_equal(word - words_of(only_record()), word_count(only_record()));
    assert_int_equal(verify_chain_counts().chains, 0);
}

/* Whatever the program has in its sp. */
static void a_program_on_a_stack_of_the_kernels_has_its_own_chain(void **state)
{
    struct sample_plan plan = plan_of(PERF_SAMPLE_CALLCHAIN, 0);
    struct regs user = user_registers();

    (void)state;
    user.sp = stack->high - 64;
    asked_for = stack->low;
    put_sample(&plan, ADDRESS, &user);
    assert_int_equal(asked_for, 0);
}

/* The kernel's frames, then a trap frame at the top of the stack. */
static void put_frames_above_a_program(unsigned count)
{
    uint64_t *word = (uint64_t *)stack->low;
    struct regs *entered = (struct regs *)(word + (size_t)2 * (count + 1));

    put_frames(count + 1);
    fake_arch.text_plain_end = TEXT + 0x280;
    fake_arch.trap_return = TEXT + 0x300; /* after plain code, as entries are */
    word[(size_t)2 * count + 1] = fake_arch.trap_return;
    *entered = user_registers();
}

static void a_chain_of_the_kernel_continues_in_the_program_that_called_it(void **state)
{
    static const unsigned skips[] = {0, 1, 5, 7};

    for (unsigned i = 0; i < 4; i++) {
        /* the hit, three calls and the entry belong to the kernel */
        unsigned skip = skips[i], kernel = skip < 5 ? 5 - skip : 0,
                 beyond = skip < 5 ? 0 : skip - 5;
        struct sample_plan plan = plan_that_skips(skip, 0, 0);
        const uint64_t *word;

        setup(state);
        put_frames_above_a_program(3);
        put_sample(&plan, ADDRESS, &regs);
        assert_int_equal(only_record()->misc,
                         kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER);
        word = words_of(only_record()) + 6;
        if (skip > 0)
            assert_int_equal(word[-5], kernel == 4   ? TEXT + 0x200
                                       : beyond == 2 ? USER_TEXT + 0x200 + 1
                                                     : USER_TEXT);
        assert_int_equal(*word++, SAMPLE_CHAIN_MAX + 2);
        assert_int_equal(*word, (uint64_t)PERF_CONTEXT_KERNEL);
        word = assert_user_part(word + 1 + kernel, beyond, SAMPLE_CHAIN_MAX - kernel);
        assert_int_equal(word - words_of(only_record()), word_count(only_record()));
        assert_int_equal(asked_for, stack->low);
    }
}

static void samples_of_one_ring_are_in_order_of_time(void **state)
{
    struct sample_plan plan = plan_of(0, 0);
    uint64_t record[64], time = 0;
    struct ring_reader reader;

    (void)state;
    for (unsigned i = 0; i < 20; i++)
        put_sample(&plan, ADDRESS, &regs);
    ring_reader_start(&reader, &ring);
    for (unsigned i = 0; i < 20; i++) {
        assert_int_equal(ring_read(&reader, record, sizeof(record)), RING_READ_RECORD);
        assert_true(record[4] > time);
        time = record[4];
    }
}

static void a_sample_without_room_is_counted_as_dropped(void **state)
{
    struct sample_plan plan = plan_of(0, 0);
    unsigned room = RING_SIZE / 56;

    (void)state;
    for (unsigned i = 0; i < room + 5; i++)
        put_sample(&plan, ADDRESS, &regs);
    assert_int_equal(ring.produced, room + 5);
    assert_int_equal(ring.dropped, 5);
}

static struct sample_plan inner_plan;
static struct regs inner_regs;

/* Such as an NMI in the middle of another sample. */
static void take_inner_sample(void)
{
    fake_arch.on_stack_find = NULL;
    put_sample(&inner_plan, ADDRESS + 8, &inner_regs);
}

static void a_sample_taken_inside_another_leaves_it_whole(void **state)
{
    struct sample_plan plan = plan_of(PERF_SAMPLE_CALLCHAIN, 0);
    uint64_t record[64];
    struct ring_reader reader;

    (void)state;
    inner_plan = plan_of(PERF_SAMPLE_PERIOD, 0);
    inner_plan.id = 78;
    inner_regs =
        (struct regs){.cs = KERNEL_CODE_SELECTOR, .ip = TEXT + 0x456, .flags = FLAGS_FIXED};
    put_frames(3);
    fake_arch.on_stack_find = take_inner_sample;
    put_sample(&plan, ADDRESS, &regs);
    ring_reader_start(&reader, &ring);
    assert_int_equal(ring_read(&reader, record, sizeof(record)), RING_READ_RECORD);
    assert_int_equal(record[1], 78);
    assert_int_equal(record[2], inner_regs.ip);
    assert_int_equal(record[5], ADDRESS + 8);
    assert_int_equal(ring_read(&reader, record, sizeof(record)), RING_READ_RECORD);
    assert_int_equal(record[1], 77);
    assert_int_equal(record[2], regs.ip);
    assert_int_equal(record[5], ADDRESS);
    assert_chain(record + 7, 3);
}

/* Each in the middle of the previous one, with its own chain. */
static void take_samples_inside_each_other(void)
{
    fake_arch.on_stack_find =
        sample_under_way[CPU] < RING_NESTING ? take_samples_inside_each_other : NULL;
    put_sample(&inner_plan, ADDRESS + 8, &inner_regs);
}

static void one_more_than_can_nest_is_dropped_and_leaves_the_others_whole(void **state)
{
    struct sample_plan plan = plan_of(PERF_SAMPLE_CALLCHAIN, 0);
    uint64_t record[64];
    struct ring_reader reader;

    (void)state;
    inner_plan = plan_of(PERF_SAMPLE_CALLCHAIN, 0);
    put_frames(3);
    inner_regs = regs;
    inner_regs.ip = TEXT + 0x456;
    fake_arch.on_stack_find = take_samples_inside_each_other;
    put_sample(&plan, ADDRESS, &regs);
    assert_int_equal(ring.produced, RING_NESTING + 1);
    assert_int_equal(ring.dropped, 1);
    ring_reader_start(&reader, &ring);
    for (unsigned i = 0; i < RING_NESTING; i++) {
        assert_int_equal(ring_read(&reader, record, sizeof(record)), RING_READ_RECORD);
        assert_int_equal(record[2], i < RING_NESTING - 1 ? inner_regs.ip : regs.ip);
        assert_int_equal(record[9], record[2]); /* after the count and its mark */
    }
    assert_chain(record + 7, 3);
}

/* struct { header; u64 time, id, stream_id; struct sample_id sample_id; } */
static void throttling_is_recorded_with_the_samples_own_trailer(void **state)
{
    static const uint32_t types[] = {PERF_RECORD_THROTTLE, PERF_RECORD_UNTHROTTLE};
    struct sample_plan plan = plan_of(SAMPLE_OPTIONAL, ARCH_SAMPLED);

    for (unsigned i = 0; i < 2; i++) {
        const struct perf_event_header *record;
        const uint64_t *word;

        setup(state);
        sample_write_throttle(&plan, &ring, types[i]);
        record = only_record();
        word = words_of(record);
        assert_int_equal(record->type, types[i]);
        assert_int_equal(word_count(record), 7);
        assert_int_equal(word[0], TIME);
        assert_int_equal(word[1], 77);
        assert_int_equal(word[2], 77);
        assert_int_equal(word[3], (uint64_t)TASK_PID << 32 | TASK_PID);
        assert_int_equal(word[4], TIME + 1); /* of the claim */
        assert_int_equal(word[5], CPU);
        assert_int_equal(word[6], 77);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(each_set_of_fields_is_laid_out_as_the_abi_says, setup),
        cmocka_unit_test_setup(each_set_of_fields_is_whole_across_the_rings_end, setup),
        cmocka_unit_test_setup(a_hit_at_a_place_needs_no_registers, setup),
        cmocka_unit_test_setup(a_record_tells_what_context_its_sample_is_of, setup),
        cmocka_unit_test_setup(registers_are_those_that_were_asked_for_in_perfs_order, setup),
        cmocka_unit_test_setup(all_registers_but_the_data_segments_can_be_had, setup),
        cmocka_unit_test_setup(a_chain_holds_127_frames_and_the_rest_is_left_out, setup),
        cmocka_unit_test_setup(a_chain_begins_at_the_caller_that_its_event_skips_to, setup),
        cmocka_unit_test_setup(registers_are_the_callers_that_its_event_skips_to, setup),
        cmocka_unit_test_setup(a_chain_is_made_in_the_way_that_its_event_names, setup),
        cmocka_unit_test_setup(chains_are_made_both_ways_where_the_event_asks_for_it, setup),
        cmocka_unit_test_setup(a_plan_of_what_no_sample_has_breaks_a_claim, setup),
        cmocka_unit_test_setup(a_hit_in_a_program_has_its_chain_alone, setup),
        cmocka_unit_test_setup(a_program_on_a_stack_of_the_kernels_has_its_own_chain, setup),
        cmocka_unit_test_setup(a_chain_of_the_kernel_continues_in_the_program_that_called_it,
                               setup),
        cmocka_unit_test_setup(samples_of_one_ring_are_in_order_of_time, setup),
        cmocka_unit_test_setup(a_sample_without_room_is_counted_as_dropped, setup),
        cmocka_unit_test_setup(a_sample_taken_inside_another_leaves_it_whole, setup),
        cmocka_unit_test_setup(one_more_than_can_nest_is_dropped_and_leaves_the_others_whole,
                               setup),
        cmocka_unit_test_setup(throttling_is_recorded_with_the_samples_own_trailer, setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
