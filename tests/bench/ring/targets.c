/* SPDX-License-Identifier: BSD-2-Clause */
/* What the figures are held against (measure.h). Called by main.c when all is measured. */
#include <stdio.h>

#include "tests/bench/ring/measure.h"

/* At most so many times the floor's ns; so many times fewer instructions than LTTng-UST. */
#define TARGET_FLOOR 1.30
#define TARGET_LTTNG 8.0

const struct figures *floor_of(const struct figures *figures, bool clock)
{
    return figures_of(figures, clock ? &writer_floor_running : &writer_floor_still);
}

/* ns an event of the fastest, however it copies. */
static double fastest_floor(const struct figures *figures, bool clock, unsigned threads,
                            unsigned payload)
{
    const struct writer *const floors[] = {
        clock ? &writer_floor_running : &writer_floor_still,
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

static const struct figures *pitot(const struct figures *figures, bool clock)
{
    return figures_of(figures, clock ? &writer_output_running : &writer_output_still);
}

static void print_floor_target(const struct figures *figures, bool clock, unsigned threads)
{
    const double *own = pitot(figures, clock)->least[threads - 1];
    const double *floor = floor_of(figures, clock)->least[threads - 1];
    double worst = 0;

    printf("  %-7s the clock, %u thread%-2s", clock ? "with" : "without", threads,
           threads == 1 ? ":" : "s:");
    for (unsigned p = 0; p < PAYLOADS; p++) {
        printf(" %5.2f", own[p] / floor[p]);
        worst = own[p] / floor[p] > worst ? own[p] / floor[p] : worst;
    }
    printf("   %-6s  (by the fastest copy:", worst <= TARGET_FLOOR ? "met" : "missed");
    for (unsigned p = 0; p < PAYLOADS; p++)
        printf(" %.2f", own[p] / fastest_floor(figures, clock, threads, p));
    printf(")\n");
}

void print_targets(const struct figures *figures, unsigned threads)
{
    const struct figures *lttng = figures_of(figures, &writer_lttng), *own = pitot(figures, true);

    printf("Pitot, ring_output, at %u, %u and %u bytes:\n", payloads[0], payloads[1], payloads[2]);
    printf("target: at most %.2f times the ns of the floor with the same copy\n", TARGET_FLOOR);
    for (unsigned count = 1; count <= threads; count++) {
        print_floor_target(figures, false, count);
        print_floor_target(figures, true, count);
    }
    if (threads < THREADS_MOST)
        printf("  2 threads: not measured: one CPU only\n");
    printf("target: at least %.1f times fewer instructions than LTTng-UST, with the clock\n",
           TARGET_LTTNG);
    if (writer_missing(&writer_lttng)) {
        printf("  not measured: %s\n", writer_missing(&writer_lttng));
        return;
    }
    for (unsigned p = 0; p < PAYLOADS; p++) {
        double ratio = lttng->instructions[p] / own->instructions[p];

        printf("  %3u bytes: %.0f / %.0f = %.1f   %s\n", payloads[p], lttng->instructions[p],
               own->instructions[p], ratio, ratio >= TARGET_LTTNG ? "met" : "missed");
    }
}
