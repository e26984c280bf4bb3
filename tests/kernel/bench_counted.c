/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `bench-counted`: for each tracepoint, the cost of a hit that is only counted, in ticks of the
 * time stamp counter, for tests/boot/hit_cost.t and tests/bench/bench.pl. It calls each
 * tracepoint's gate as its site would, because no load reaches all sites; only those of system
 * calls are reached by their own sites. Task context, interrupts on; the minimum of several chunks,
 * as a tick may fall into one.
 */
#include "arch/cpu.h"
#include "arch/regs.h"
#include "arch/site.h"
#include "core/console/command.h"
#include "core/lib/print.h"
#include "core/recording/recording.h"
#include "core/tracepoint/tracepoint.h"
#include "kernel/syscall/syscalls.h"
#include "tests/kernel/bench.h"

#define CHUNKS 5
#define HITS   100

/* Arguments without meaning: an event that only counts does not read them. */
static void raise(struct pitot_tracepoint *tracepoint, unsigned long *argument)
{
    if (tracepoint->in_memory)
        pitot_raise_memory(tracepoint, argument, NULL);
    else
        pitot_raise_5(tracepoint, 0, 0, 0, 0, 0);
}

static uint64_t ticks_of_chunk(struct pitot_tracepoint *tracepoint)
{
    unsigned long argument[TRACEPOINT_FIELDS_MAX + 8] = {0};
    uint64_t begin = cpu_read_tsc();

    for (unsigned i = 0; i < HITS; i++)
        raise(tracepoint, argument);
    return cpu_read_tsc() - begin;
}

static void bench_counted(struct pitot_tracepoint *tracepoint)
{
    uint64_t least = UINT64_MAX;
    char command[80];
    bool records;

    print_into(command, sizeof(command), "stat -e %s", tracepoint->full_name);
    if (bench_start(command, &records))
        return;
    for (unsigned i = 0; i < CHUNKS; i++) {
        uint64_t ticks = ticks_of_chunk(tracepoint);

        least = ticks < least ? ticks : least;
    }
    recording_stop();
    print("counted %s: %llu ticks/hit, %llu hits\n", tracepoint->full_name,
          (unsigned long long)least / HITS, (unsigned long long)recording_counted(0)->count);
}

/* A system call that does almost nothing, as its entry would call it. */
static uint64_t ticks_of_calls(void)
{
    struct regs regs = {.error = 24 /* sched_yield */, .cs = USER_CODE_SELECTOR};
    uint64_t least = UINT64_MAX;

    for (unsigned chunk = 0; chunk < CHUNKS; chunk++) {
        uint64_t ticks, begin = cpu_read_tsc();

        for (unsigned i = 0; i < HITS; i++)
            syscall_dispatch(&regs);
        ticks = cpu_read_tsc() - begin;
        least = ticks < least ? ticks : least;
    }
    return least;
}

static void bench_call(const char *name, const char *command)
{
    uint64_t off = ticks_of_calls(), on;
    bool records;

    if (bench_start(command, &records))
        return;
    on = ticks_of_calls();
    recording_stop();
    print("bench %s: %llu ticks/hit, 0 bytes/sample\n", name,
          (unsigned long long)(on - off) / HITS);
}

static int bench_counted_run(int argc, char **argv)
{
    struct pitot_tracepoint *tracepoint = NULL;

    (void)argc;
    (void)argv;
    while ((tracepoint = tracepoint_after(tracepoint)))
        bench_counted(tracepoint);
    bench_call("call-count", "stat -e raw_syscalls:sys_enter");
    bench_call("call-named-count", "stat -e syscalls:sys_enter_sched_yield");
    return 0;
}

PITOT_COMMAND_AS(bench_counted, "bench-counted", "", "what a hit that is counted costs",
                 bench_counted_run, 0);
