/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `make bench`: the cost of putting an event into a ring, on this machine, for this kernel's ring
 * and others, in the same run. docs/bench.md explains how it is measured and how to read it;
 * ring.pl starts it where LTTng has a session. `ring instructions` counts only instructions, a line
 * for each writer, for tests/host/ring_cost.t. Status 0: measured; 1: a ring does not hold what it
 * should; 2: usage.
 */
#include <stdio.h>
#include <string.h>

#include "tests/bench/ring/measure.h"

const unsigned payloads[PAYLOADS] = {16, PAYLOAD_OF_SAMPLE, 64, 256};

const struct writer *const writers[] = {
    &writer_floor_still,
    &writer_floor_string_still,
    &writer_floor_loop_still,
    &writer_floor_library_still,
    &writer_output_still,
    &writer_sample_still,
    &writer_parts_still,
    &writer_ck_still,
    &writer_floor_running,
    &writer_floor_string_running,
    &writer_floor_loop_running,
    &writer_floor_library_running,
    &writer_output_running,
    &writer_sample_running,
    &writer_parts_running,
    &writer_ck_running,
    &writer_lttng,
};

#define WRITERS (sizeof(writers) / sizeof(writers[0]))

_Static_assert(WRITERS <= WRITERS_MOST, "there is room for the figures of all");

const size_t writer_count = WRITERS;

const char *writer_missing(const struct writer *writer)
{
    return writer->missing ? writer->missing() : NULL;
}

bool writer_writes(const struct writer *writer, unsigned payload)
{
    return !writer_missing(writer) && (writer->payload == 0 || writer->payload == payload);
}

bool side_open(struct side *side, const struct writer *writer, unsigned payload)
{
    *side = (struct side){
        .payload = payload,
        .event = {.header = {.type = PERF_RECORD_SAMPLE, .size = (uint16_t)EVENT_SIZE(payload)},
                  .mark = EVENT_MARK}};
    side->ring = writer->open(side);
    if (!side->ring)
        fprintf(stderr, "%s: no memory for its ring\n", writer->name);
    return side->ring != NULL;
}

const struct figures *figures_of(const struct figures *figures, const struct writer *writer)
{
    for (size_t i = 0; i < WRITERS; i++)
        if (writers[i] == writer)
            return &figures[i];
    return NULL;
}

/* Blank if that writer has no events of that payload. */
static void print_figure(const struct writer *writer, unsigned p, int digits, double figure)
{
    if (writer_writes(writer, payloads[p]))
        printf(" %6.*f", digits, figure);
    else
        printf(" %6s", "");
}

static void print_row(const struct figures *figures, size_t i, unsigned threads)
{
    const struct figures *own = &figures[i], *floor = floor_of(figures, writers[i]->clock);

    printf("%-28s", writers[i]->name);
    if (writer_missing(writers[i])) {
        printf(" not measured: %s\n", writer_missing(writers[i]));
        return;
    }
    for (unsigned p = 0; p < PAYLOADS; p++)
        print_figure(writers[i], p, 2, own->least[threads - 1][p] / floor->least[threads - 1][p]);
    printf("  ");
    for (unsigned p = 0; p < PAYLOADS; p++) {
        print_figure(writers[i], p, 1, own->least[threads - 1][p]);
        if (writer_writes(writers[i], payloads[p]))
            printf(" (%6.1f)", own->median[threads - 1][p]);
        else
            printf("%9s", "");
    }
    printf("  ");
    for (unsigned p = 0; p < PAYLOADS; p++)
        print_figure(writers[i], p, 0, own->instructions[p]);
    printf("\n");
}

static void print_block(const struct figures *figures, bool clock, unsigned threads)
{
    printf("%-28s %27s   %63s   %27s\n", clock ? "with the clock" : "without the clock",
           "times the floor's ns", "ns an event, least (median)", "instructions");
    printf("%u thread%-20s", threads, threads == 1 ? "" : "s");
    for (unsigned p = 0; p < PAYLOADS; p++)
        printf(" %6u", payloads[p]);
    printf("  ");
    for (unsigned p = 0; p < PAYLOADS; p++)
        printf(" %6u         ", payloads[p]);
    printf("  ");
    for (unsigned p = 0; p < PAYLOADS; p++)
        printf(" %6u", payloads[p]);
    printf("\n");
    for (size_t i = 0; i < WRITERS; i++)
        if (writers[i]->clock == clock)
            print_row(figures, i, threads);
    printf("\n");
}

static bool count_all(struct figures *figures)
{
    for (size_t i = 0; i < WRITERS; i++)
        for (unsigned p = 0; p < PAYLOADS; p++) {
            if (!writer_writes(writers[i], payloads[p]))
                continue;
            if (!check_writer(writers[i], payloads[p]))
                return false;
            figures[i].instructions[p] = count_instructions(writers[i], payloads[p]);
        }
    return true;
}

static void print_instructions(const struct figures *figures)
{
    for (unsigned p = 0; p < PAYLOADS; p++)
        for (unsigned clock = 0; clock <= 1; clock++)
            printf("%u bytes, %s the clock: floor %.2f ring_output %.2f\n", payloads[p],
                   clock ? "with" : "without", floor_of(figures, clock)->instructions[p],
                   output_of(figures, clock)->instructions[p]);
    print_sample_instructions(figures);
}

/* For ring.pl, which checks whether LTTng has kept the newest event and dropped the first. */
static void write_last_events(void)
{
    static struct side side;

    if (writer_missing(&writer_lttng) || !side_open(&side, &writer_lttng, 256))
        return;
    stay_on_cpu(0);
    side.event.sequence = 1ull << 40;
    writer_lttng.burst(&side, 4 * RING_BYTES / 256);
    printf("LTTng's last events: %llu to %llu\n", (1ull << 40) + 1,
           (unsigned long long)side.event.sequence);
}

int main(int argc, char **argv)
{
    static struct figures figures[WRITERS];
    unsigned threads = cpus_usable() < THREADS_MOST ? cpus_usable() : THREADS_MOST;

    if (argc > 2 || (argc == 2 && strcmp(argv[1], "instructions") != 0)) {
        fprintf(stderr, "usage: ring [instructions]\n");
        return 2;
    }
    if (!count_all(figures))
        return 1;
    if (argc == 2) {
        print_instructions(figures);
        return 0;
    }
    for (unsigned count = 1; count <= threads; count++)
        for (unsigned p = 0; p < PAYLOADS; p++)
            if (!time_writers(figures, p, count))
                return 1;
    for (unsigned count = 1; count <= threads; count++) {
        print_block(figures, false, count);
        print_block(figures, true, count);
    }
    print_targets(figures, threads);
    write_last_events();
    return 0;
}
