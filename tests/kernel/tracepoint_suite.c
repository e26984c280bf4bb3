/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tracepoints in the running kernel: the code of a site when off and on, the contents of a hit's
 * record, that a hit inside a recording is counted, and where registers and chains begin.
 */
#include "core/lib/arguments.h"
#include "core/lib/string.h"
#include "core/perf/options.h"
#include "core/recording/recording.h"
#include "core/sample/records.h"
#include "core/symbols/symbols.h"
#include "core/tracepoint/filter.h"
#include "core/unwind/unwind.h"
#include "kernel/sched/preempt.h"
#include "kernel/time/timer.h"
#include "kernel/x86_64/memory/image.h"
#include "tests/kernel/ktap.h"
#include "tests/kernel/leaves.h"

#define SUITE_FIELDS                                                                               \
    PITOT_FIELD(pointer, place, "place %p"), PITOT_FIELD(s32, number, " number %d"),               \
        PITOT_FIELD(text, words, " words %s")

PITOT_TRACEPOINT(suite, suite_first, 3, SUITE_FIELDS);
PITOT_TRACEPOINT(suite, suite_second, 3, SUITE_FIELDS);

PITOT_TRACEPOINT_WITH(suite, suite_weighted, (1, PITOT_INDEX(suite_weighted, weight), 0, 0, 0), 1,
                      PITOT_FIELD(u64, weight, "weight %lu"));

/* Laid out as by the macros. */
struct suite_record {
    struct tracepoint_head head;
    uint64_t place;
    int32_t number;
    char words[16];
};

extern const struct arch_site __start_pitot_sites[], __stop_pitot_sites[];

static struct {
    unsigned hits;
    struct suite_record record;
    uint32_t size;
    struct regs regs;
    bool again; /* the listener itself hits the tracepoint */
    uint64_t chain[32];
    size_t frames;
} seen;

static unsigned evaluated;

static const char *suite_words(void)
{
    evaluated++;
    return "more than fifteen characters";
}

__attribute__((noinline)) static void suite_place(int number)
{
    PITOT_TRACE(suite_first, &seen, number, suite_words());
    __asm__ volatile("" : : : "memory"); /* so that the call before it is no tail */
}

__attribute__((noinline)) static void suite_other_place(void)
{
    PITOT_TRACE(suite_second, &seen, 0, "");
    __asm__ volatile("" : : : "memory"); /* likewise */
}

static void suite_hit(struct tracepoint_probe *probe, struct trace_hit *hit)
{
    union tracepoint_room room;

    (void)probe;
    tracepoint_need_late(hit);
    tracepoint_record(hit, trace_regs(hit)->flags, &room.raw);
    seen.hits++;
    seen.size = room.raw.size;
    memcpy(&seen.record, &room.raw.head, sizeof(seen.record));
    seen.regs = *trace_regs(hit);
    seen.frames = unwind_capture_by(unwind_default(), trace_regs(hit), 0, seen.chain,
                                    sizeof(seen.chain) / sizeof(seen.chain[0]));
    if (seen.again)
        suite_place(99);
}

static const struct arch_site *site_of(const struct pitot_tracepoint *tracepoint)
{
    const struct arch_site *site = __start_pitot_sites;

    while (site->owner != tracepoint)
        site++;
    return site;
}

static bool is_nop(const struct arch_site *site)
{
    static const uint8_t nop[] = {0x0f, 0x1f, 0x44, 0x00, 0x00};

    return memcmp((const void *)site->address, nop, sizeof(nop)) == 0;
}

static bool is_jump(const struct arch_site *site)
{
    const uint8_t *code = (const uint8_t *)site->address;
    int32_t distance;

    memcpy(&distance, code + 1, sizeof(distance));
    return code[0] == 0xe9 && site->address + 5 + (uintptr_t)(intptr_t)distance == site->target;
}

static bool is_in(uintptr_t address, const char *name)
{
    struct symbol symbol;

    return symbols_find_address(address, &symbol) && strcmp(symbol.name, name) == 0;
}

/* Writable mappings of the kernel's text. */
static uint64_t writable_text(void)
{
    struct paging_leaf leaf;
    uint64_t count = 0;

    for (uintptr_t at = 0; leaves_next(leaves_of_kernel(), at, &leaf);
         at = leaf.address + leaf.size) {
        count += leaf.flags & PTE_WRITABLE && leaf.physical < image_physical(rodata_end) &&
                 leaf.physical + leaf.size > image_physical(_text);
        if (leaf.address + leaf.size == 0)
            break;
    }
    return count;
}

static void claim_off(void)
{
    seen.hits = evaluated = 0;
    ktap_ok(is_nop(site_of(&pitot_tracepoint_suite_first)),
            "a site is a nop of five bytes when off");
    suite_place(1);
    ktap_equal(seen.hits, 0, "... tells nobody");
    ktap_equal(evaluated, 0, "... and does not compute its arguments");
}

static void claim_on(void)
{
    struct tracepoint_probe probe = {.hit = suite_hit};
    struct refusal why = {""};
    const struct arch_site *site = site_of(&pitot_tracepoint_suite_first);
    uint64_t ids;

    ktap_equal((uint64_t)tracepoint_listen(&pitot_tracepoint_suite_first, &probe, &why), 0,
               "somebody can listen");
    ktap_ok(is_jump(site), "the site is then a jump to what stands behind it");
    ktap_ok(is_nop(site_of(&pitot_tracepoint_suite_second)), "... and that of another is a nop");
    ktap_equal(writable_text(), 0, "text has no writable mapping afterwards");
    suite_place(-5);
    suite_other_place();
    tracepoint_leave(&pitot_tracepoint_suite_first, &probe);
    ktap_ok(is_nop(site), "when he has left it is a nop again");
    ktap_equal(writable_text(), 0, "... and text has no writable mapping");
    suite_place(6);
    ktap_equal(seen.hits, 1, "a hit is told once, and none before or after");
    ktap_equal(evaluated, 1, "... its arguments are computed once");
    ktap_ok(seen.record.place == (uintptr_t)&seen && seen.record.number == -5 &&
                strcmp(seen.record.words, "more than fifte") == 0,
            "the record has the arguments, a text cut at 15 characters");
    ktap_equal(seen.size % 8, 4, "... and is padded for the size in front of it");
    ktap_equal(seen.record.head.common_type, tracepoint_id(&pitot_tracepoint_suite_first),
               "... and begins with the id");
    ids = (uint64_t)seen.record.head.common_pid << 32 | (uint32_t)seen.record.head.common_tgid;
    ktap_ok(ids != 0, "... and the task");
    ktap_equal(seen.record.head.common_flags, 0, "... with interrupts on");
    ktap_equal(seen.record.head.common_preempt_count, 0, "... and preemption");
}

static void claim_preemption(void)
{
    struct tracepoint_probe probe = {.hit = suite_hit};

    tracepoint_listen(&pitot_tracepoint_suite_first, &probe, NULL);
    preempt_off();
    preempt_off();
    suite_place(1);
    preempt_on();
    preempt_on();
    tracepoint_leave(&pitot_tracepoint_suite_first, &probe);
    ktap_equal(seen.record.head.common_preempt_count, 2,
               "a record tells how often preemption is off");
}

static void suite_interrupt(void *data)
{
    (void)data;
    suite_place(1);
}

/* In Linux' numbering, which is all that its tools know. */
static void claim_context(void)
{
    struct tracepoint_probe probe = {.hit = suite_hit};
    struct timer timer = {.function = suite_interrupt};
    volatile unsigned *hits = &seen.hits;
    unsigned before = seen.hits;

    tracepoint_listen(&pitot_tracepoint_suite_first, &probe, NULL);
    timer_start(&timer, 0, 0);
    while (*hits == before)
        arch_idle();
    ktap_equal(seen.record.head.common_flags, 0x01 | 0x08,
               "a record made in an interrupt marks that, and that interrupts were off");
    preempt_off();
    pitot_preemption[arch_cpu_id()].wanted = true; /* like a tick */
    suite_place(1);
    preempt_on();
    tracepoint_leave(&pitot_tracepoint_suite_first, &probe);
    ktap_equal(seen.record.head.common_flags, 0x04, "... of a task that another waits for, that");
}

__attribute__((noinline)) static void claim_place(void)
{
    struct tracepoint_probe probe = {.hit = suite_hit};

    tracepoint_listen(&pitot_tracepoint_suite_first, &probe, NULL);
    suite_place(1);
    tracepoint_leave(&pitot_tracepoint_suite_first, &probe);
    ktap_ok(is_in(seen.regs.ip, "suite_place"), "ip is in the function with the tracepoint");
    ktap_ok(!regs_are_full(&seen.regs), "... of a snapshot, not of a trap");
    ktap_ok(seen.frames > 3 && seen.chain[0] == seen.regs.ip &&
                is_in(seen.chain[1] - 1, "claim_place"),
            "the chain begins there, and goes on with its caller");
    ktap_ok(is_in(seen.chain[seen.frames - 1], "boot_entry_high"), "... to the outermost");
}

/* The values are in registers that the call must keep, so the compiler has them there. */
__attribute__((noinline)) static void claim_registers(void)
{
    struct tracepoint_probe probe = {.hit = suite_hit, .registers = true};
    register uint64_t rbx __asm__("rbx") = 0x1111;
    register uint64_t r15 __asm__("r15") = 0x2222;

    tracepoint_listen(&pitot_tracepoint_suite_first, &probe, NULL);
    ktap_ok(pitot_tracepoint_suite_first.gate == arch_gate_registers,
            "who wants registers gets them by a gate that takes them");
    rbx = 0x1111;
    r15 = 0x2222;
    __asm__ volatile("" : "+r"(rbx), "+r"(r15));
    PITOT_TRACE(suite_first, &seen, 3, "x");
    __asm__ volatile("" : "+r"(rbx), "+r"(r15));
    tracepoint_leave(&pitot_tracepoint_suite_first, &probe);
    ktap_ok(seen.regs.bx == 0x1111 && seen.regs.r15 == 0x2222, "rbx and r15 are the caller's");
    ktap_equal(seen.regs.si, (uintptr_t)&seen, "... rsi and the like the arguments");
    ktap_ok(is_in(seen.regs.ip, "claim_registers") && !regs_are_full(&seen.regs) &&
                seen.regs.cs == KERNEL_CODE_SELECTOR,
            "... ip is in the function with the tracepoint, of a snapshot");
    ktap_ok(seen.frames > 2 && is_in(seen.chain[1] - 1, "tracepoint_claims") &&
                is_in(seen.chain[seen.frames - 1], "boot_entry_high"),
            "... and the chain is whole");
    ktap_ok(pitot_tracepoint_suite_first.gate == arch_gate,
            "the next who does not want them does not pay for them");
}

static void claim_nested(void)
{
    struct tracepoint_probe probe = {.hit = suite_hit}, second = {.hit = suite_hit};
    uint64_t before = tracepoint_nested();

    seen.hits = 0;
    seen.again = true;
    tracepoint_listen(&pitot_tracepoint_suite_first, &probe, NULL);
    suite_place(7);
    ktap_equal(seen.hits, 1, "a hit inside a recording is not recorded");
    ktap_equal(tracepoint_nested() - before, 1, "... but counted");
    ktap_equal((uint64_t)seen.record.number, 7, "... and leaves the outer one as it is");
    seen.again = false;
    suite_place(8);
    ktap_equal(seen.hits, 2, "the next hit is recorded again");
    tracepoint_listen(&pitot_tracepoint_suite_first, &second, NULL);
    suite_place(9);
    ktap_equal(seen.hits, 4, "two listeners are both told");
    tracepoint_leave(&pitot_tracepoint_suite_first, &probe);
    suite_place(10);
    ktap_equal(seen.hits, 5, "... the one that stays alone afterwards");
    tracepoint_leave(&pitot_tracepoint_suite_first, &second);
    ktap_ok(is_nop(site_of(&pitot_tracepoint_suite_first)),
            "the last who leaves turns the site off");
}

static void claim_refused(void)
{
    struct arch_site wrong = *site_of(&pitot_tracepoint_suite_first);

    wrong.address++;
    ktap_ok(arch_site_set(&wrong, true) == -EINVAL &&
                is_nop(site_of(&pitot_tracepoint_suite_first)),
            "what is neither the nop nor the jump is not patched");
    wrong.address = (uintptr_t)&seen;
    ktap_ok(arch_site_set(&wrong, true) == -EINVAL, "nor what is no text");
}

/*
 * Records `command`, hits once, and returns the size of the sample, the size of the record in it,
 * and its address.
 */
static uint32_t record_once(const char *command, size_t *raw_size, uint64_t *address)
{
    static struct perf_options options;
    static char text[96];
    struct arguments arguments;
    struct refusal why = {""};
    struct sample_view view = {.raw = NULL};
    struct record_source *source;
    const struct perf_event_header *record;
    uint32_t size = 0;

    print_into(text, sizeof(text), "%s", command);
    if (arguments_split(text, &arguments, &why) ||
        perf_options_parse(arguments.count, arguments.value, &options, &why) ||
        recording_start(&options.recording, &why)) {
        ktap_ok(false, "%s: %s", command, why.text);
        return 0;
    }
    suite_place(11);
    recording_stop();
    source = recording_source();
    source->rewind(source);
    record = source->next(source);
    if (record && sample_view_parse(record, source->events, source->event_count, &view))
        size = record->size;
    *raw_size = view.raw_size;
    *address = view.addr;
    return size;
}

static void claim_raw(void)
{
    size_t plain_raw = 0, with_raw = 0;
    uint64_t address = 0;
    uint32_t plain =
        record_once("record --no-raw-samples -e suite:suite_first", &plain_raw, &address);
    uint32_t with = record_once("record -e suite:suite_first", &with_raw, &address);

    ktap_equal(address, (uintptr_t)&seen,
               "a sample's address is the first pointer among the fields");
    ktap_ok(plain > 0 && plain_raw == 0, "a sample has no record where it is not wanted");
    ktap_equal(with_raw, pitot_tracepoint_suite_first.raw_size, "otherwise it has");
    ktap_equal(with - plain, pitot_tracepoint_suite_first.raw_size + 4,
               "... and is longer by just that");
}

/* Records these hits; stores the samples' weights in `weights`, and returns their number. */
static size_t record_weights(const char *command, const uint64_t *hits, size_t count,
                             uint64_t *weights)
{
    static struct perf_options options;
    static char text[96];
    struct arguments arguments;
    struct refusal why = {""};
    struct record_source *source;
    const struct perf_event_header *record;
    struct sample_view view;
    size_t samples = 0;

    print_into(text, sizeof(text), "%s", command);
    if (arguments_split(text, &arguments, &why) ||
        perf_options_parse(arguments.count, arguments.value, &options, &why) ||
        recording_start(&options.recording, &why)) {
        ktap_ok(false, "%s: %s", command, why.text);
        return 0;
    }
    for (size_t i = 0; i < count; i++)
        PITOT_TRACE(suite_weighted, hits[i]);
    recording_stop();
    source = recording_source();
    source->rewind(source);
    while (samples < count && (record = source->next(source)))
        if (sample_view_parse(record, source->events, source->event_count, &view))
            weights[samples++] = view.period;
    ktap_equal(source->events[0].count, count, "%s: hits are counted", command);
    return samples;
}

static void claim_weights(void)
{
    static const uint64_t hits[] = {3, 4, 5, 0, 20, 1};
    uint64_t seen_weights[6] = {0};
    size_t samples = record_weights("record -e suite:suite_weighted", hits, 6, seen_weights);

    ktap_ok(samples == 5 && seen_weights[0] == 3 && seen_weights[1] == 4 && seen_weights[3] == 20,
            "a sample stands for the weight of its hit, and one of 0 for nothing");
    samples = record_weights("record -c 5 -e suite:suite_weighted", hits, 6, seen_weights);
    ktap_ok(samples == 3 && seen_weights[0] == 7 && seen_weights[1] == 5 && seen_weights[2] == 20,
            "... a period is of weight, and what goes beyond it stands in the sample");
}

#define FILL 0xa5

static bool is_of_a_field(const struct pitot_tracepoint *tracepoint, size_t offset)
{
    for (unsigned i = 0; i < tracepoint->field_count; i++)
        if (offset >= tracepoint->field[i].offset &&
            offset < (size_t)tracepoint->field[i].offset + tracepoint->field[i].size)
            return true;
    return false;
}

/*
 * Counts bytes of a record, built over other data, that are left as they were, or that are outside
 * of all fields and not 0.
 */
static unsigned bytes_not_written(const struct pitot_tracepoint *tracepoint)
{
    uint64_t argument[TRACEPOINT_FIELDS_MAX];
    uint8_t memory[sizeof(union tracepoint_room)];
    unsigned wrong = 0;

    memset(memory, FILL, sizeof(memory));
    for (unsigned i = 0; i < tracepoint->field_count; i++)
        argument[i] = tracepoint->field[i].kind == TRACEPOINT_text ? (uintptr_t) "text" : ~0ull;
    tracepoint->make(tracepoint, (char *)memory + sizeof(uint32_t), argument);
    for (size_t i = sizeof(struct tracepoint_head); i < tracepoint->raw_size; i++) {
        uint8_t byte = memory[sizeof(uint32_t) + i];

        wrong += is_of_a_field(tracepoint, i) ? byte == FILL : byte != 0;
    }
    return wrong;
}

static void claim_written(void)
{
    struct pitot_tracepoint *tracepoint = NULL;

    while ((tracepoint = tracepoint_after(tracepoint)))
        ktap_equal(bytes_not_written(tracepoint), 0, "each byte of %s's record is written",
                   tracepoint->full_name);
}

static void tracepoint_claims(void)
{
    claim_off();
    claim_on();
    claim_preemption();
    claim_context();
    claim_place();
    claim_registers();
    claim_nested();
    claim_refused();
    claim_raw();
    claim_weights();
    claim_written();
    claim_off();
}

KTAP_SUITE(tracepoint, "tracepoints: sites, records, registers, recursion");
