/* SPDX-License-Identifier: BSD-2-Clause */
/* The targets for the figures (measure.h). Called by main.c once everything is measured. */
#include <stdio.h>

#include "tests/bench/ring/measure.h"

/* Limits: this multiple of the floor's ns; this many times fewer instructions than LTTng-UST. */
#define TARGET_FLOOR 1.30
#define TARGET_LTTNG 8.0

const struct figures *floor_of(const struct figures *figures, bool clock)
{
    return figures_of(figures, clock ? &writer_floor_running : &writer_floor_still);
}

const struct figures *output_of(const struct figures *figures, bool clock)
{
    return figures_of(figures, clock ? &writer_output_running : &writer_output_still);
}

/* ns per event of the fastest floor, whatever its way to copy. */
static double fastest_floor(const struct figures *figures, bool clock, unsigned threads,
                            unsigned payload)
{
    const struct writer *const floors[] = {
        clock ? &writer_floor_running : &writer_floor_still,
        clock ? &writer_floor_string_running : &writer_floor_string_still,
        clock ? &writer_floor_loop_running : &writer_floor_loop_still,
        clock ? &writer_floor_library_running : &writer_floor_library_still,
    };
    double fastest = figures_of(figures, floors[0])->least[threads - 1][payload];

    for (size_t i = 1; i < sizeof(floors) / sizeof(floors[0]); i++) {
        double ns = figures_of(figures, floors[i])->least[threads - 1][payload];

        fastest = ns < fastest ? ns : fastest;
    }
    return fastest;
}

static const char *with_clock(bool clock)
{
    return clock ? "with the clock" : "without the clock";
}

/* Self-contained lines: each can be read, or quoted, alone. */
static void print_floor_target(const struct figures *figures, bool clock, unsigned threads)
{
    const double *own = output_of(figures, clock)->least[threads - 1];

    for (unsigned p = 0; p < PAYLOADS; p++) {
        double floor = fastest_floor(figures, clock, threads, p), ratio = own[p] / floor;

        printf(
            "ring_output, %u bytes of payload, %s, threads: %u: %.1f ns, the fastest floor %.1f, "
            "ratio %.2f, aim %.2f: %s\n",
            payloads[p], with_clock(clock), threads, own[p], floor, ratio, TARGET_FLOOR,
            ratio <= TARGET_FLOOR ? "met" : "missed");
    }
}

static const struct figures *sample_of(const struct figures *figures, bool clock)
{
    return figures_of(figures, clock ? &writer_sample_running : &writer_sample_still);
}

/* The index of the figures for events as long as a sample. */
static unsigned sample_index(void)
{
    unsigned p = 0;

    while (payloads[p] != PAYLOAD_OF_SAMPLE)
        p++;
    return p;
}

void print_sample_instructions(const struct figures *figures)
{
    unsigned p = sample_index();

    for (unsigned clock = 0; clock <= 1; clock++)
        printf("a sample of %u bytes, %s: ring_output %.2f sample_take %.2f\n",
               EVENT_SIZE(PAYLOAD_OF_SAMPLE), with_clock(clock),
               output_of(figures, clock)->instructions[p],
               sample_of(figures, clock)->instructions[p]);
}

static void print_sample(const struct figures *figures, bool clock, unsigned threads)
{
    unsigned p = sample_index();
    double ns = sample_of(figures, clock)->least[threads - 1][p];
    double floor = fastest_floor(figures, clock, threads, p);
    double output = output_of(figures, clock)->least[threads - 1][p];

    printf("sample_take, a plain sample of %u bytes, %s, threads: %u: %.1f ns, the fastest floor "
           "%.1f, ratio %.2f; ring_output of a ready event %.1f, ratio %.2f\n",
           EVENT_SIZE(PAYLOAD_OF_SAMPLE), with_clock(clock), threads, ns, floor, ns / floor, output,
           ns / output);
}

void print_targets(const struct figures *figures, unsigned threads)
{
    const struct figures *lttng = figures_of(figures, &writer_lttng);
    const struct figures *own = output_of(figures, true);

    for (unsigned count = 1; count <= threads; count++)
        for (unsigned clock = 0; clock <= 1; clock++)
            print_floor_target(figures, clock, count);
    printf("\n");
    for (unsigned count = 1; count <= threads; count++)
        for (unsigned clock = 0; clock <= 1; clock++)
            print_sample(figures, clock, count);
    if (threads < THREADS_MOST)
        printf("2 threads: not measured: one CPU only\n");
    printf("\n");
    if (writer_missing(&writer_lttng)) {
        printf("LTTng-UST: not measured: %s\n", writer_missing(&writer_lttng));
        return;
    }
    for (unsigned p = 0; p < PAYLOADS; p++) {
        double ratio = lttng->instructions[p] / own->instructions[p];

        printf("instructions, %u bytes of payload, with the clock: LTTng-UST %.0f, ring_output "
               "%.0f, ratio %.1f, aim %.1f: %s\n",
               payloads[p], lttng->instructions[p], own->instructions[p], ratio, TARGET_LTTNG,
               ratio >= TARGET_LTTNG ? "met" : "missed");
    }
}
