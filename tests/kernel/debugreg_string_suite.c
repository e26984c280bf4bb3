/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Repeated string instructions under random watches that overlap, beside a model that knows each
 * iteration's accesses: a watch never has more hits than the model, nor fewer if its doubtful hits
 * are added. On machines that trap after each iteration most counts are exact.
 */
#include "arch/cpu.h"
#include "core/lib/string.h"
#include "tests/kernel/ktap.h"
#include "tests/kernel/watch.h"

#define ROUNDS  600
#define WATCHES 5
#define AREA    64

static uint8_t area[AREA] __attribute__((aligned(64)));
static uint64_t random_state;

static unsigned random_below(unsigned limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (unsigned)(random_state >> 32) % limit;
}

/* What is executed: each of `count` iterations writes at `to`, reads at `from`, or both. */
struct string {
    enum { STORE, MOVE, LOAD } kind;
    unsigned size; /* of an element */
    unsigned to, from, count;
    bool down;
};

#define EXECUTE(suffix)                                                                            \
    do {                                                                                           \
        if (string->kind == STORE)                                                                 \
            __asm__ volatile("rep stos" #suffix : "+D"(to), "+c"(count) : "a"(value) : "memory");  \
        else if (string->kind == MOVE)                                                             \
            __asm__ volatile("rep movs" #suffix : "+D"(to), "+S"(from), "+c"(count) : : "memory"); \
        else                                                                                       \
            __asm__ volatile("rep lods" #suffix                                                    \
                             : "+S"(from), "+c"(count), "+a"(value)                                \
                             :                                                                     \
                             : "memory");                                                          \
    } while (0)

__attribute__((noinline)) static void execute(const struct string *string)
{
    uint8_t *to = area + string->to, *from = area + string->from;
    uint64_t count = string->count, value = random_below(2) ? 0 : 0x5a5a5a5a5a5a5a5a;
    uint64_t flags = arch_irq_save();

    if (string->down)
        __asm__ volatile("std" : : : "memory");
    switch (string->size) {
    case 1:
        EXECUTE(b);
        break;
    case 4:
        EXECUTE(l);
        break;
    default:
        EXECUTE(q);
    }
    __asm__ volatile("cld" : : : "memory");
    arch_irq_restore(flags);
}

/* A multiple of the size: QEMU 7.2 reports unaligned accesses to watches beside them, too. */
static unsigned random_start(const struct string *string)
{
    unsigned all = string->count * string->size, first = random_below(AREA - all + 1);

    first &= -string->size;
    return string->down ? first + all - string->size : first;
}

static struct string random_string(void)
{
    static const unsigned sizes[] = {1, 4, 8}; /* the map of instructions takes no `rep stosw` */
    struct string string = {.kind = random_below(3), .size = sizes[random_below(3)]};

    string.count = 1 + random_below(AREA / 2 / string.size);
    string.down = random_below(4) == 0;
    string.to = random_start(&string);
    string.from = random_start(&string);
    return string;
}

/* --- The model. --- */

static bool touches(const struct breakpoint *watch, unsigned at, unsigned size)
{
    uintptr_t start = (uintptr_t)area + at;

    return start < watch->address + watch->length && watch->address < start + size;
}

static uint64_t model(const struct breakpoint *watch, const struct string *string)
{
    uint64_t hits = 0;

    for (unsigned i = 0; i < string->count; i++) {
        unsigned passed = string->down ? -i * string->size : i * string->size;
        bool written = string->kind != LOAD && touches(watch, string->to + passed, string->size);
        bool read = string->kind != STORE && touches(watch, string->from + passed, string->size);

        hits += written || (read && watch->access == ARCH_READ_WRITE);
    }
    return hits;
}

/* --- One round. --- */

static struct totals {
    uint64_t counts, wrong, doubtful, none;
} totals;

static bool arm_random(struct watch *watch)
{
    unsigned length = 1 + random_below(9), start = random_below(AREA - length + 1);

    if ((length & (length - 1)) == 0)
        start &= -length;
    return watch_try(watch, area + start, length, random_below(2) ? ARCH_WRITE : ARCH_READ_WRITE);
}

static void judge(const struct watch *watch, const struct string *string)
{
    uint64_t expected = model(&watch->breakpoint, string);
    uint64_t most = watch->hits + watch->breakpoint.doubtful;

    totals.counts++;
    totals.doubtful += watch->breakpoint.doubtful > 0;
    totals.none += watch->hits == 0 && expected > 0;
    if (watch->hits <= expected && expected <= most)
        return;
    totals.wrong++;
    print("#   %s of %u, %u to +%u from +%u%s: area+%u/%u:%s has %llu, up to %llu, is %llu\n",
          string->kind == STORE  ? "stos"
          : string->kind == MOVE ? "movs"
                                 : "lods",
          string->size, string->count, string->to, string->from, string->down ? " down" : "",
          (unsigned)(watch->breakpoint.address - (uintptr_t)area),
          (unsigned)watch->breakpoint.length, watch->breakpoint.access == ARCH_WRITE ? "w" : "rw",
          (unsigned long long)watch->hits, (unsigned long long)most, (unsigned long long)expected);
}

static void round_random(void)
{
    static struct watch watches[WATCHES];
    struct string string = random_string();
    unsigned count = 0, wanted = 1 + random_below(WATCHES);

    for (unsigned i = 0; i < wanted; i++)
        count += arm_random(&watches[count]);
    execute(&string);
    for (unsigned i = 0; i < count; i++)
        watch_disarm(&watches[i]);
    for (unsigned i = 0; i < count; i++)
        judge(&watches[i], &string);
}

static void debugreg_string_claims(void)
{
    random_state = 0x9e3779b97f4a7c15;
    totals = (struct totals){0};
    for (unsigned i = 0; i < ROUNDS; i++)
        round_random();
    ktap_ok(totals.counts > ROUNDS, "random watches under repeated instructions are counted");
    ktap_equal(totals.wrong, 0, "... no count is wrong outside of its doubt");
    print("#   %llu counts, %llu doubtful, %llu of 0 where there were accesses%s\n",
          (unsigned long long)totals.counts, (unsigned long long)totals.doubtful,
          (unsigned long long)totals.none,
          arch_watch_groups() ? ", on a machine that traps once for a group" : "");
}

KTAP_SUITE(debugreg_string, "repeated string instructions under random watches");
