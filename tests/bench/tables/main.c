/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `make bench`: this kernel's table beside sorted rows of 10 bytes (sorted_rows.h), both made from
 * the same synthetic rows (synthetic.h): bytes, and ns per look-up. docs/bench.md explains how to
 * read it. Status 0: measured; 1: the two disagree, or there is no memory.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/lib/refusal.h"
#include "core/unwind/table.h"
#include "tests/bench/tables/sorted_rows.h"
#include "tests/bench/tables/synthetic.h"
#include "tools/orcgen/table.h"

/* The number in Debian's vmlinux, with rows for padding, which orcgen merges. */
#define LINUX_ROWS_WITH_PADDING 384849u

#define LOOKUPS     (1u << 16)
#define CHAIN       64u /* addresses, repeated: one stack that is hit again and again */
#define ROUNDS      15
#define TEXT_BEGINS 0xffffffff81000000ull

struct bench {
    struct synthetic synthetic;
    struct table bytes;
    struct unwind_table table;
    struct sorted_rows sorted;
    uint32_t random[LOOKUPS], chain[LOOKUPS];
};

static const uint8_t build_id[UNWIND_TABLE_BUILD_ID_SIZE] = "synthetic rows";

/* The CFA's offset, as an unwinder needs it. */
static int32_t find_by_code(const struct bench *bench, uint32_t offset)
{
    uint8_t code = unwind_table_code(&bench->table, offset);

    if (code < UNWIND_CODE_LIST)
        return 8 * ((int)(code & UNWIND_CODE_WORDS_MASK) + 1);
    return unwind_table_rule(&bench->table, offset, code).cfa_offset;
}

static int32_t find_by_row(const struct bench *bench, uint32_t offset)
{
    return sorted_rows_find(&bench->sorted, offset)->cfa_offset;
}

/* Makes each look-up's address depend on the last result, as a caller's does on its callee's. */
static inline uint32_t depend(uint32_t offset, int32_t result)
{
    __asm__ volatile("and $0, %0" : "+r"(result));
    return offset + (uint32_t)result;
}

static double now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static double time_codes(const struct bench *bench, const uint32_t *offsets)
{
    double start = now_ns();
    int32_t result = 0;

    for (uint32_t i = 0; i < LOOKUPS; i++)
        result = find_by_code(bench, depend(offsets[i], result));
    __asm__ volatile("" ::"r"(result));
    return (now_ns() - start) / LOOKUPS;
}

static double time_rows(const struct bench *bench, const uint32_t *offsets)
{
    double start = now_ns();
    int32_t result = 0;

    for (uint32_t i = 0; i < LOOKUPS; i++)
        result = find_by_row(bench, depend(offsets[i], result));
    __asm__ volatile("" ::"r"(result));
    return (now_ns() - start) / LOOKUPS;
}

static double lesser(double a, double b)
{
    return a < b ? a : b;
}

struct times {
    double codes_random, codes_chain, rows_random, rows_chain;
};

/* The minimum of rounds that take each table in turn. */
static struct times measure(const struct bench *bench)
{
    struct times times = {1e9, 1e9, 1e9, 1e9};

    for (unsigned round = 0; round < ROUNDS; round++) {
        times.codes_random = lesser(times.codes_random, time_codes(bench, bench->random));
        times.rows_random = lesser(times.rows_random, time_rows(bench, bench->random));
        times.codes_chain = lesser(times.codes_chain, time_codes(bench, bench->chain));
        times.rows_chain = lesser(times.rows_chain, time_rows(bench, bench->chain));
    }
    return times;
}

static bool same_at(const struct bench *bench, uint32_t offset)
{
    int32_t by_code = find_by_code(bench, offset), by_row = find_by_row(bench, offset);

    if (by_code == by_row)
        return true;
    fprintf(stderr, "at 0x%x the table says CFA + %d, the sorted rows %d\n", offset, by_code,
            by_row);
    return false;
}

/* At each row, before the next, and at the addresses that will be timed. */
static bool check(const struct bench *bench)
{
    const struct synthetic *synthetic = &bench->synthetic;
    bool same = true;

    for (size_t i = 0; same && i < synthetic->count; i++)
        same = same_at(bench, synthetic->rows[i].offset) &&
               (i == 0 || same_at(bench, synthetic->rows[i].offset - 1));
    for (uint32_t i = 0; same && i < LOOKUPS; i++)
        same = same_at(bench, bench->random[i]);
    return same;
}

static bool build(struct bench *bench, size_t rows, uint32_t text_size)
{
    struct synthetic_random random = {.state = 1};
    struct refusal why = {""};

    if (!synthetic_make(&bench->synthetic, rows, text_size) ||
        !sorted_rows_init(&bench->sorted, bench->synthetic.count, text_size))
        return false;
    for (size_t i = 0; i < bench->synthetic.count; i++)
        sorted_rows_add(&bench->sorted, bench->synthetic.rows[i].offset,
                        &bench->synthetic.rows[i].rule);
    sorted_rows_finish(&bench->sorted);
    for (uint32_t i = 0; i < LOOKUPS; i++) {
        bench->random[i] = synthetic_random(&random, text_size);
        bench->chain[i] = bench->random[i % CHAIN];
    }

    const struct table_text text = {
        .address = TEXT_BEGINS, .size = text_size, .build_id = build_id};
    const struct unwind_table_expected expected = {
        .text = TEXT_BEGINS, .text_end = TEXT_BEGINS + text_size, .build_id = build_id};
    table_build(&bench->bytes, bench->synthetic.rows, bench->synthetic.count, &text);
    if (unwind_table_open(&bench->table, bench->bytes.bytes, bench->bytes.size, &expected, &why))
        fprintf(stderr, "%s\n", why.text);
    return bench->table.text_size != 0;
}

static void bench_free(struct bench *bench)
{
    synthetic_free(&bench->synthetic);
    sorted_rows_free(&bench->sorted);
    free(bench->bytes.bytes);
    free(bench);
}

static void print_line(const struct bench *bench, const struct times *times)
{
    const double kib = bench->synthetic.text_size / 1024.0;
    const double ours = (double)bench->bytes.size;
    const double sorted = (double)sorted_rows_bytes(&bench->sorted);

    printf("%8zu %8.1f %10.0f %6.1f %11.0f %6.1f %5.1f%% %7.1f %7.1f %8.1f %7.1f\n",
           bench->synthetic.count, kib / 1024, ours, ours / kib, sorted, sorted / kib,
           100 * ours / sorted, times->codes_random, times->rows_random, times->codes_chain,
           times->rows_chain);
    if (bench->synthetic.text_size == SYNTHETIC_LINUX_TEXT) {
        double padded = sorted + 10.0 * (LINUX_ROWS_WITH_PADDING - bench->sorted.count);

        printf("   Linux's own, with its rows for padding: %10.0f %6.1f %5.1f%% (aim 30%%)\n",
               padded, padded / kib, 100 * ours / padded);
    }
}

static bool run(size_t rows, uint32_t text_size)
{
    struct bench *bench = calloc(1, sizeof(*bench));
    bool good = bench && build(bench, rows, text_size) && check(bench);
    struct times times;

    if (good) {
        times = measure(bench);
        print_line(bench, &times);
    }
    if (bench)
        bench_free(bench);
    return good;
}

static bool print_synthetic(void)
{
    struct synthetic synthetic;
    bool good = synthetic_make(&synthetic, SYNTHETIC_LINUX_ROWS, SYNTHETIC_LINUX_TEXT);

    if (good)
        synthetic_print(&synthetic);
    synthetic_free(&synthetic);
    return good;
}

int main(void)
{
    static const size_t sizes[] = {100000, 1000000, 10000000};
    bool good;

    if (!print_synthetic())
        return 1;
    printf("%8s %8s %17s %18s %6s %15s %16s\n", "", "", "this table", "10-byte rows", "",
           "ns, random", "ns, chain of 64");
    printf("%8s %8s %10s %6s %11s %6s %6s %7s %7s %8s %7s\n", "rows", "MiB text", "bytes", "/KiB",
           "bytes", "/KiB", "share", "table", "rows", "table", "rows");
    good = run(SYNTHETIC_LINUX_ROWS, SYNTHETIC_LINUX_TEXT);
    for (size_t i = 0; good && i < sizeof(sizes) / sizeof(sizes[0]); i++)
        good = run(sizes[i],
                   (uint32_t)((double)sizes[i] / SYNTHETIC_LINUX_ROWS * SYNTHETIC_LINUX_TEXT));
    return good ? 0 : 1;
}
