/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `bench-borders`: the cost of a call chain that leaves the hit's context, in ticks of the time
 * stamp counter, for tests/lib/Pitot/HitCost.pm: through a trap, from the timer's interrupt into
 * the interrupted thread; and from the kernel into the program that called it. Each is also
 * measured without a chain. Task context.
 */
#include "arch/x86_64/cpu/cpu.h"
#include "core/console/command.h"
#include "core/lib/print.h"
#include "core/recording/recording.h"
#include "kernel/time/timer.h"
#include "tests/kernel/bench.h"

#define CHUNKS 9
#define HITS   100
#define SOON   1000 /* ns */

static volatile uint64_t bench_stored;
static uint64_t (*volatile bench_next)(unsigned depth); /* so that each call has a frame */

static struct {
    volatile uint64_t ticks;
    volatile bool done; /* [interrupt] the last of a chunk */
} inside;

/* The timer's interrupt. */
static void bench_store_inside(void *unused)
{
    uint64_t begin = cpu_read_tsc();

    (void)unused;
    for (unsigned i = 0; i < HITS; i++)
        bench_stored = i;
    inside.ticks = cpu_read_tsc() - begin;
    inside.done = true;
}

/* The timer interrupts the second of two functions, which spins. */
static uint64_t bench_spin(unsigned unused)
{
    static struct timer timer = {.function = bench_store_inside};

    (void)unused;
    inside.done = false;
    timer_start(&timer, SOON, 0);
    while (!inside.done) {
    }
    return inside.ticks;
}

static uint64_t bench_call(unsigned depth)
{
    uint64_t ticks = bench_next(depth);

    bench_stored = ticks; /* keeps the last call from becoming a jump */
    return ticks;
}

/* The minimum, as another interrupt may occur. */
static uint64_t ticks_inside(void)
{
    uint64_t least = UINT64_MAX;

    bench_next = bench_spin;
    for (unsigned i = 0; i < CHUNKS; i++) {
        uint64_t ticks = bench_outermost(bench_call, 0);

        least = ticks < least ? ticks : least;
    }
    return least;
}

/* The program makes many system calls, the same ones in each run. */
static uint64_t ticks_of_program(void)
{
    char name[] = "/bin/fs-load", rounds[] = "4", *words[] = {name, rounds, NULL};
    uint64_t begin = cpu_read_tsc();

    command_run(2, words);
    return cpu_read_tsc() - begin;
}

static void bench_border(const char *name, uint64_t (*ticks_of)(void), uint64_t hits,
                         const char *command)
{
    uint64_t off = ticks_of(), on;
    struct record_source *source;
    const struct perf_event_header *record;
    bool records;

    if (bench_start(command, &records))
        return;
    on = ticks_of();
    recording_stop();
    source = recording_source();
    record = source->next(source);
    hits = hits ? hits : source->events[0].count;
    print("bench %s: %llu ticks/hit, %llu bytes/sample\n", name,
          (unsigned long long)((on - off) / hits), (unsigned long long)(record ? record->size : 0));
}

static int bench_borders_run(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    bench_border("in-trap", ticks_inside, HITS, "record --overwrite -m 16k -e mem:bench_stored:w");
    bench_border("chain-trap", ticks_inside, HITS,
                 "record --overwrite -m 16k -g -e mem:bench_stored:w");
    bench_border("in-call", ticks_of_program, 0,
                 "record --overwrite -m 16k -R -e raw_syscalls:sys_enter");
    bench_border("chain-program", ticks_of_program, 0,
                 "record --overwrite -m 16k -R -g -e raw_syscalls:sys_enter");
    return 0;
}

PITOT_COMMAND_AS(bench_borders, "bench-borders", "",
                 "what a chain costs across a trap, into a program", bench_borders_run, 0);
