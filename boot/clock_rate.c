/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See boot.h. Measures all counters over the same interval against the time stamp counter, which is
 * read before and after each counter to discard readings that were delayed. Every wait is bounded.
 */
#include "boot/boot.h"

#include "arch/cpu.h"
#include "core/lib/print.h"
#include "drivers/acpi.h"
#include "drivers/hpet.h"
#include "drivers/pit8254.h"
#include "kernel/panic/panic.h"
#include "kernel/x86_64/cpu/clock.h"
#include "kernel/x86_64/memory/paging.h"

#define RATES_MAX 4

#define WINDOWS_A_SECOND 200 /* 5 ms */
#define ATTEMPTS         5
#define LOOKS            5       /* readings of a counter, of which the quickest is used */
#define STUCK            10000u  /* equal readings in a row: the counter has stopped */
#define PATIENCE         1000000 /* most readings in a window; each takes 100 ns or more */
#define SAME_PART        128     /* rates are equal if they differ by less than 1/SAME_PART */

/* Plausible rates of a time stamp counter, per second; Bochs has 4 million. */
#define RATE_LEAST 1000000ull
#define RATE_MOST  100000000000ull

/* A source of the rate; in an array, the most trusted comes first. */
struct rate {
    const char *name;
    uint32_t (*count)(void); /* NULL: the source gives the rate itself */
    uint32_t mask;
    uint64_t hertz; /* of the counter */
    uint64_t ticks; /* time stamp counter ticks per second; 0: unknown */
};

struct look {
    uint64_t ticks; /* arch_clock_ns returns these until the clock's rate is set */
    uint32_t count;
};

static struct look look_at(const struct rate *rate)
{
    struct look best = {0};
    uint64_t shortest = UINT64_MAX;

    for (unsigned i = 0; i < LOOKS; i++) {
        uint64_t before = arch_clock_ns();
        uint32_t count = rate->count();
        uint64_t took = arch_clock_ns() - before;

        if (took < shortest) {
            shortest = took;
            best = (struct look){before + took / 2, count};
        }
    }
    return best;
}

static bool rate_counts(const struct rate *rate)
{
    uint32_t first = rate->count();

    for (unsigned i = 0; i < STUCK; i++)
        if (rate->count() != first)
            return true;
    return false;
}

static void rate_add(struct rate *rates, unsigned *known, struct rate rate)
{
    if (rate.count ? rate_counts(&rate) : rate.ticks != 0)
        rates[(*known)++] = rate;
}

/*
 * Adds the finest counter first; it is also the cheapest to read. CPUID's figure is not disturbed
 * by delays, but is only the manufacturer's. The 8254 is coarse, and new machines omit it.
 */
static unsigned rates_find(struct rate *rates, const struct acpi *acpi)
{
    volatile void *hpet = acpi->hpet_address ? paging_map_device(acpi->hpet_address) : NULL;
    unsigned known = 0;

    if (hpet && !hpet_init(hpet))
        rate_add(rates, &known,
                 (struct rate){"HPET", hpet_count, UINT32_MAX, hpet_count_start(), 0});
    pm_timer_init(acpi->pm_timer_port);
    if (acpi->pm_timer_port)
        rate_add(rates, &known,
                 (struct rate){"PM timer", pm_timer_count, PM_TIMER_MASK, PM_TIMER_HERTZ, 0});
    rate_add(rates, &known, (struct rate){"CPUID", NULL, 0, 0, clock_rate_by_cpuid()});
    if (pit_count_start())
        rate_add(rates, &known, (struct rate){"8254", pit_count, PIT_COUNT_MASK, PIT_HERTZ, 0});
    return known;
}

/* Measures all rates. A counter that has stopped or wrapped meanwhile disagrees with the others. */
static void rates_measure(struct rate *rates, unsigned known)
{
    struct look begin[RATES_MAX];
    const struct rate *first = NULL;

    pit_count_start(); /* it does not wrap: start it again */
    for (unsigned i = known; i-- > 0;) {
        if (!rates[i].count)
            continue;
        begin[i] = look_at(&rates[i]);
        first = &rates[i];
    }
    for (unsigned looks = 0; first && looks < PATIENCE; looks++)
        if (((first->count() - begin[first - rates].count) & first->mask) >=
            first->hertz / WINDOWS_A_SECOND)
            break;
    for (unsigned i = 0; i < known; i++) {
        struct look end;
        uint32_t passed;

        if (!rates[i].count)
            continue;
        end = look_at(&rates[i]);
        passed = (end.count - begin[i].count) & rates[i].mask;
        rates[i].ticks = passed ? (end.ticks - begin[i].ticks) * rates[i].hertz / passed : 0;
    }
}

static bool rates_agree(uint64_t left, uint64_t right)
{
    uint64_t apart = left < right ? right - left : left - right;

    return apart < left / SAME_PART;
}

/* Returns the first rate that another source confirms, or a single source gives twice. 0: none. */
static uint64_t rates_choose(const struct rate *rates, unsigned known, uint64_t before)
{
    for (unsigned i = 0; i < known; i++) {
        uint64_t ticks = rates[i].ticks;

        if (ticks < RATE_LEAST || ticks > RATE_MOST)
            continue;
        if (known == 1 && rates_agree(ticks, before))
            return ticks;
        for (unsigned other = 0; other < known; other++)
            if (other != i && rates_agree(ticks, rates[other].ticks))
                return ticks;
    }
    return 0;
}

static _Noreturn void rates_refuse(const struct rate *rates, unsigned known)
{
    char said[128] = "";
    size_t length = 0;

    for (unsigned i = 0; i < known && length < sizeof(said); i++)
        length += print_into(said + length, sizeof(said) - length, "%s%s %llu kHz", i ? ", " : "",
                             rates[i].name, (unsigned long long)rates[i].ticks / 1000);
    if (known == 0)
        panic("no HPET, no ACPI PM timer, no 8254 that port 0x61 lets count, and CPUID does not "
              "tell the clock's rate: one of these is needed");
    panic("the clock's rate is not known, as no two sources agree: %s", said);
}

void clock_rate_find(const struct acpi *acpi)
{
    struct rate rates[RATES_MAX];
    unsigned known = rates_find(rates, acpi);
    uint64_t chosen = 0;

    for (unsigned i = 0; i < ATTEMPTS && known > 0 && !chosen; i++) {
        uint64_t before = rates[0].ticks;

        rates_measure(rates, known);
        chosen = rates_choose(rates, known, before);
    }
    if (!chosen)
        rates_refuse(rates, known);
    clock_set_rate(chosen);
}
