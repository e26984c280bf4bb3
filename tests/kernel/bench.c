/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `bench`: the cost of a hit, in ticks of the time stamp counter, for tests/bench/bench.pl, which
 * runs this where a tick is one executed instruction (QEMU's -icount shift=0). It stores to a
 * variable, first unwatched, then watched by an event of each kind; the difference is the path from
 * the trap to iret. Medians of several chunks, so that a timer tick in one does not count. Task
 * context, interrupts on, as in normal use.
 */
#include "tests/kernel/bench.h"

#include "arch/x86_64/cpu/cpu.h"
#include "core/abi/unwind_table.h"
#include "core/console/command.h"
#include "core/lib/arguments.h"
#include "core/lib/print.h"
#include "core/lib/string.h"
#include "core/perf/options.h"
#include "core/recording/recording.h"

#define CHUNKS 21
#define HITS   100

static volatile uint64_t bench_watched;

/* Hides the counter from the compiler, so that both loops keep it in a register, not unrolled. */
#define BENCH_HIDE(counter) __asm__ volatile("" : "+r"(counter))

static uint64_t bench_chunk(void)
{
    uint64_t begin = cpu_read_tsc();

    for (unsigned i = 0; i < HITS; i++) {
        bench_watched = i;
        BENCH_HIDE(i);
    }
    return cpu_read_tsc() - begin;
}

/*
 * --- Frames as functions have them: with nothing saved, with a few registers, with locals. ---
 *
 * Each begins at a block of the unwind table, so that searching the block takes the same time in
 * every build; and each has its own section, as an assembler would fill the gaps with jumps.
 */
#define BENCH_SHAPE(name)                                                                          \
    __attribute__((noinline, section(".text." #name), aligned(UNWIND_BLOCK))) static uint64_t name

PITOT_TRACEPOINT(bench, bench_hit, 2, PITOT_FIELD(u64, number, "number=%lu"),
                 PITOT_FIELD(u32, half, " half=%u"));

static bool bench_traced; /* hits are the tracepoint's, not the watch's */

/* A separate function, so that the site's nop is one instruction in an otherwise equal loop. */
static uint64_t bench_trace_chunk(void)
{
    uint64_t begin = cpu_read_tsc();

    for (unsigned i = 0; i < HITS; i++) {
        bench_watched = i;
        BENCH_HIDE(i);
        PITOT_TRACE(bench_hit, i, 1);
    }
    return cpu_read_tsc() - begin;
}

static uint64_t (*volatile bench_shapes[4])(unsigned depth);
static volatile uint64_t bench_kept[5];

/* Calls the next of `depth` frames; inline, so that it has no frame itself. */
__attribute__((always_inline)) static inline uint64_t bench_deeper(unsigned depth)
{
    if (depth > 1)
        return bench_shapes[depth % 4](depth - 1);
    return bench_traced ? bench_trace_chunk() : bench_chunk();
}

BENCH_SHAPE(bench_plain)(unsigned depth)
{
    return bench_deeper(depth);
}

BENCH_SHAPE(bench_with_registers)(unsigned depth)
{
    uint64_t first = bench_kept[0], second = bench_kept[1], ticks = bench_deeper(depth);

    bench_kept[0] = second;
    bench_kept[1] = first;
    return ticks;
}

BENCH_SHAPE(bench_with_all_registers)(unsigned depth)
{
    uint64_t a = bench_kept[0], b = bench_kept[1], c = bench_kept[2], d = bench_kept[3],
             e = bench_kept[4], ticks = bench_deeper(depth);

    bench_kept[0] = e;
    bench_kept[1] = d;
    bench_kept[2] = c;
    bench_kept[3] = b;
    bench_kept[4] = a;
    return ticks;
}

BENCH_SHAPE(bench_with_locals)(unsigned depth)
{
    volatile uint64_t locals[20];
    uint64_t ticks;

    locals[depth % 20] = depth;
    ticks = bench_deeper(depth);
    bench_kept[0] = locals[depth % 20];
    return ticks;
}

static uint64_t (*volatile bench_shapes[4])(unsigned) = {
    bench_plain, bench_with_registers, bench_with_all_registers, bench_with_locals};

static uint64_t median(uint64_t *values)
{
    for (unsigned i = 1; i < CHUNKS; i++)
        for (unsigned j = i; j > 0 && values[j] < values[j - 1]; j--) {
            uint64_t swap = values[j];

            values[j] = values[j - 1];
            values[j - 1] = swap;
        }
    return values[CHUNKS / 2];
}

/*
 * Ticks for HITS stores with a call chain of `frames`, including bench_outermost's return address.
 */
static uint64_t bench_ticks(unsigned frames)
{
    uint64_t values[CHUNKS];

    for (unsigned i = 0; i < CHUNKS; i++)
        values[i] = bench_outermost(bench_plain, frames - 1);
    return median(values);
}

static uint64_t bytes_per_sample(void)
{
    struct record_source *source = recording_source();
    const struct perf_event_header *record = source->next(source);

    return record ? record->size : 0;
}

int bench_start(const char *command, bool *records)
{
    static struct perf_options options;
    char text[80];
    struct arguments arguments;
    struct refusal why;
    int error;

    print_into(text, sizeof(text), "%s", command);
    error = arguments_split(text, &arguments, &why);
    if (!error)
        error = perf_options_parse(arguments.count, arguments.value, &options, &why);
    *records = strcmp(arguments.value[0], "record") == 0;
    /* the throttle is checked, as usual, but never applies */
    options.recording.rate = 1000000000;
    if (!*records)
        options.recording.ring_size = 0;
    if (!error)
        error = recording_start(&options.recording, &why);
    if (error)
        print("bench %s: %s\n", command, why.text);
    return error;
}

static void bench_case(const char *name, unsigned frames, const char *command)
{
    uint64_t off = bench_ticks(frames), on;
    bool records;

    if (bench_start(command, &records))
        return;
    on = bench_ticks(frames);
    recording_stop();
    print("bench %s: %llu ticks/hit, %llu bytes/sample\n", name,
          (unsigned long long)(on - off) / HITS,
          (unsigned long long)(records ? bytes_per_sample() : 0));
}

/* What the nop of a disabled tracepoint adds to a loop. */
static void bench_off(void)
{
    uint64_t without = bench_ticks(6);

    bench_traced = true;
    print("bench trace-off: %llu ticks/hit, 0 bytes/sample\n",
          (unsigned long long)(bench_ticks(6) - without) / HITS);
}

/* A loop of two instructions, a million times: measures the length of a tick. */
static void bench_calibrate(void)
{
    uint64_t count = 1000000, begin = cpu_read_tsc();

    __asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(count));
    print("bench calibration: 2000000 instructions in %llu ticks\n",
          (unsigned long long)(cpu_read_tsc() - begin));
}

static int bench_run(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    print("bench entry-to-command: %llu ns\n", (unsigned long long)arch_clock_ns());
    bench_calibrate();
    bench_case("count", 6, "stat -e mem:bench_watched:w");
    bench_case("sample", 6, "record --overwrite -m 16k -e mem:bench_watched:w");
    bench_case("sample-regs", 6, "record --overwrite -m 16k --intr-regs -e mem:bench_watched:w");
    bench_case("chain-6", 6, "record --overwrite -m 16k -g -e mem:bench_watched:w");
    bench_case("chain-16", 16, "record --overwrite -m 16k -g -e mem:bench_watched:w");
    bench_case("chain-116", 116, "record --overwrite -m 16k -g -e mem:bench_watched:w");
    bench_case("written-count", 6, "stat -e mem:bench_watched:w -e breakpoint:hit");
    bench_case("written-raw", 6,
               "record --overwrite -m 16k -R -e mem:bench_watched:w -e breakpoint:hit");
    bench_case("count-by-comm", 6, "stat -e mem:bench_watched:w --by comm");
    bench_case("count-by-caller", 6, "stat -e mem:bench_watched:w --by caller");
    bench_off();
    bench_case("trace-count", 6, "stat -e bench:bench_hit");
    bench_case("trace-by-cpu", 6, "stat -e bench:bench_hit --by cpu");
    bench_case("trace-hist", 6, "stat -e bench:bench_hit --hist number");
    bench_case("trace-hist-by", 6, "stat -e bench:bench_hit --hist number --by comm");
    bench_case("trace-span", 6, "stat --from bench:bench_hit --to bench:bench_hit");
    bench_case("trace-sample", 6, "record --overwrite -m 16k --no-raw-samples -e bench:bench_hit");
    bench_case("trace-raw", 6, "record --overwrite -m 16k -R -e bench:bench_hit");
    bench_case("trace-regs", 6,
               "record --overwrite -m 16k --no-raw-samples --intr-regs -e bench:bench_hit");
    bench_case("trace-chain-6", 6, "record --overwrite -m 16k -R -g -e bench:bench_hit");
    bench_traced = false;
    return 0;
}

PITOT_COMMAND(bench, "", "what a hit costs", bench_run);
