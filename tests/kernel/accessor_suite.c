/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * breakpoint:hit in the running kernel: for each kind of access in tests/kernel/accessor.asm the
 * instruction that it names, never a wrong one, and how it was found. Also the watched bytes before
 * and after, for each length, and after a change of the registers.
 */
#include "arch/local.h"
#include "core/breakpoint/breakpoint.h"
#include "core/lib/string.h"
#include "core/tracepoint/filter.h"
#include "tests/kernel/ktap.h"
#include "tests/kernel/watch.h"

#define HITS_MAX 6

/*
 * A hit: the word of `how`, as NASM stores a short string, and the instruction. "maybe": this one
 * or none, any number of times; "none": no instruction may be named; "perhaps": the same, and there
 * may be no such hit.
 */
struct accessor_hit {
    char how[8];
    uintptr_t insn;
};

struct accessor_case {
    const char *text;
    void (*run)(void *watched, void *other);
    uint32_t on_stack;
    int32_t offset;
    uint32_t length, access;
    struct accessor_hit hits[HITS_MAX];
};

extern const struct accessor_case accessor_cases[], accessor_cases_end[];
extern volatile uint8_t accessor_open;

uintptr_t accessor_entry_sp(void);
void accessor_run(void (*run)(void *, void *), void *watched, void *other);

/* Laid out as by the macros. */
struct hit_record {
    struct tracepoint_head head;
    uint64_t address;
    uint32_t length;
    char access[16];
    uint64_t old, new, insn;
    char how[16];
};

static struct {
    struct hit_record hit[HITS_MAX];
    struct regs regs;
    unsigned count;
} seen;

/* The watched word with others around it, and a distant one. */
static uint64_t area[64] __attribute__((aligned(256)));
#define WATCHED (&area[8])
#define OTHER   (&area[40])

static void suite_hit(struct tracepoint_probe *probe, struct trace_hit *hit)
{
    union tracepoint_room room;

    (void)probe;
    if (!accessor_open)
        return;
    tracepoint_need_late(hit);
    tracepoint_record(hit, trace_regs(hit)->flags, &room.raw);
    if (seen.count < HITS_MAX)
        memcpy(&seen.hit[seen.count], &room.raw.head, sizeof(seen.hit[0]));
    seen.regs = *trace_regs(hit);
    seen.count++;
}

static struct tracepoint_probe listener = {.hit = suite_hit};

static bool same_hit(const struct hit_record *hit, const struct accessor_hit *expected)
{
    return hit->insn == expected->insn && strncmp(hit->how, expected->how, 8) == 0;
}

static bool is_unknown(const struct hit_record *hit)
{
    return hit->insn == 0 && strcmp(hit->how, "unknown") == 0;
}

static bool is_word(const struct accessor_hit *expected, const char *word)
{
    return strncmp(expected->how, word, sizeof(expected->how)) == 0;
}

/* True if the hits were the expected ones, in order. */
static bool case_holds(const struct accessor_case *of)
{
    unsigned i = 0;

    if (is_word(&of->hits[0], "maybe")) {
        for (; i < seen.count && i < HITS_MAX; i++)
            if (!is_unknown(&seen.hit[i]) && seen.hit[i].insn != of->hits[0].insn)
                return false;
        return seen.count > 0;
    }
    for (; i < HITS_MAX && of->hits[i].how[0]; i++) {
        bool none = is_word(&of->hits[i], "none"), perhaps = is_word(&of->hits[i], "perhaps");

        if (perhaps && i == seen.count)
            return true;
        if (i >= seen.count ||
            !(none || perhaps ? is_unknown(&seen.hit[i]) : same_hit(&seen.hit[i], &of->hits[i])))
            return false;
    }
    return seen.count == i;
}

static void show_case(const struct accessor_case *of)
{
    for (unsigned i = 0; i < seen.count && i < HITS_MAX; i++)
        print("# hit %u: ip 0x%lx insn 0x%lx %s, not 0x%lx\n", i, (unsigned long)seen.regs.ip,
              (unsigned long)seen.hit[i].insn, seen.hit[i].how, (unsigned long)of->hits[i].insn);
    print("# %u hits\n", seen.count);
}

/*
 * One frame for both calls, so that both have the same stack pointer. Interrupts are off: an
 * interrupt would put its frame over the watched slot of the stack.
 */
__attribute__((noinline)) static void claim_case(const struct accessor_case *of)
{
    uintptr_t slot = accessor_entry_sp() - 32;
    uintptr_t address =
        (of->on_stack ? slot : (uintptr_t)WATCHED) + (uintptr_t)(intptr_t)of->offset;
    struct watch watch;
    uint64_t flags;

    memset(area, 0, sizeof(area));
    seen.count = 0;
    if (!watch_arm(&watch, (void *)address, of->length, (enum arch_access)of->access))
        return;
    flags = arch_irq_save();
    accessor_run(of->run, of->on_stack ? WATCHED : (void *)address, OTHER);
    arch_irq_restore(flags);
    watch_disarm(&watch);
    if (!ktap_ok(case_holds(of), "%s", of->text))
        show_case(of);
}

static void claim_cases(void)
{
    for (const struct accessor_case *of = accessor_cases; of < accessor_cases_end; of++)
        claim_case(of);
}

/* Compares the last hit's fields. */
static void expect_values(uint64_t old, uint64_t new, const char *claim)
{
    const struct hit_record *hit;

    local_barrier(); /* the debug trap has written it */
    hit = &seen.hit[(seen.count ? seen.count : 1) - 1];
    ktap_ok(seen.count > 0 && hit->old == old && hit->new == new, "%s", claim);
}

static void claim_values(void)
{
    volatile uint64_t *word = WATCHED;
    volatile uint16_t *half = (volatile uint16_t *)word + 1;
    struct watch watch, second;

    *word = 0x8877665544332211;
    accessor_open = 1;
    seen.count = 0;
    if (!watch_arm(&watch, half, 2, ARCH_WRITE))
        return;
    *half = 0xabcd;
    expect_values(0x4433, 0xabcd, "two bytes: before and after, nothing of those around them");
    ktap_ok(seen.hit[0].address == (uintptr_t)half && seen.hit[0].length == 2 &&
                strcmp(seen.hit[0].access, "w") == 0,
            "... and address, length and access of the watch");
    ktap_ok(regs_are_full(&seen.regs) && seen.regs.ip > seen.hit[0].insn &&
                seen.regs.ip - seen.hit[0].insn < 15,
            "... the registers are the trap's");
    *half = 0;
    expect_values(0xabcd, 0, "the next hit begins where the last one ended");
    *word = 0x0102030405060708;
    expect_values(0, 0x0506, "a store wider than the watch");
    if (!watch_arm(&second, word + 1, 8, ARCH_READ_WRITE))
        return;
    word[1] = UINT64_MAX;
    expect_values(0, UINT64_MAX, "eight bytes");
    *half = 1;
    expect_values(0x0506, 1, "a change of the registers keeps what the others know");
    watch_disarm(&second);
    watch_disarm(&watch);
    *half = 7;
    if (!watch_arm(&watch, half, 2, ARCH_READ_WRITE))
        return;
    (void)*half;
    expect_values(7, 7, "a load: as armed, and unchanged");
    watch_disarm(&watch);
    accessor_open = 0;
}

static void claim_execute(void)
{
    struct watch watch;

    accessor_open = 1;
    seen.count = 0;
    if (!watch_arm(&watch, (const void *)(uintptr_t)accessor_entry_sp, 1, ARCH_EXECUTE))
        return;
    accessor_entry_sp();
    watch_disarm(&watch);
    accessor_open = 0;
    ktap_ok(seen.count == 1 && seen.hit[0].insn == (uintptr_t)accessor_entry_sp &&
                strcmp(seen.hit[0].how, "at") == 0,
            "x: the instruction itself");
    expect_values(0, 0, "... and no values");
}

static void accessor_claims(void)
{
    struct refusal why;

    ktap_equal((uint64_t)tracepoint_listen(&tracepoint_breakpoint_hit, &listener, &why), 0,
               "somebody listens to breakpoint:hit");
    claim_cases();
    claim_values();
    claim_execute();
    tracepoint_leave(&tracepoint_breakpoint_hit, &listener);
}

KTAP_SUITE(accessor, "breakpoint:hit: which instruction, what was written");
