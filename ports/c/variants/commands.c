/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Commands of the sample kernel, for tests/boot/ports_console.t (port.mk): pitot_start and
 * pitot_stop, so that it streams beside `perf record`; one in which other threads have their turns;
 * one with many writes and then few; one that resets the machine, but not in the boot after a
 * reset.
 */
#include "ports/c/kernel.h"

#include "pitot.h"

static int begin_run(int argc, char **argv)
{
    (void)argc, (void)argv;
    record_begin("-e shop:job_done");
    return 0;
}

static int end_run(int argc, char **argv)
{
    (void)argc, (void)argv;
    record_end();
    return 0;
}

PITOT_COMMAND(begin, "", "begins a recording of jobs", begin_run);
PITOT_COMMAND(end, "", "ends it, and streams it", end_run);

#define TICKS 100

static int rest_run(int argc, char **argv)
{
    (void)argc, (void)argv;
    for (uint64_t before = ticks; *(volatile uint64_t *)&ticks < before + TICKS;) {
        __asm__ volatile("hlt");
        thread_yield();
    }
    pitot_print("%d ticks\n", TICKS);
    return 0;
}

PITOT_COMMAND(rest, "", "takes 100 ticks", rest_run);

#define RUSH 20000 /* writes without a pause, before one at each tick */

static uint64_t rush_writes;

static int rush_run(int argc, char **argv)
{
    (void)argc, (void)argv;
    for (int i = 0; i < RUSH; i++)
        *(volatile uint64_t *)&rush_writes += 1;
    for (int i = 0; i < TICKS; i++) {
        *(volatile uint64_t *)&rush_writes += 1;
        __asm__ volatile("hlt");
    }
    pitot_print("the last write is %llu\n", (unsigned long long)rush_writes);
    return 0;
}

PITOT_COMMAND(rush, "", "writes 20000 times at once, and then once a tick", rush_run);

#define CONTROLLER 0x64
#define RESET      0xfe
#define HAS_BEGUN  0x62656775

static uint32_t mark __attribute__((section(".bss.pitot_kept"))); /* HAS_BEGUN: the second boot */

static int restart_run(int argc, char **argv)
{
    (void)argc, (void)argv;
    if (mark == HAS_BEGUN)
        return 0;
    mark = HAS_BEGUN;
    port_write(CONTROLLER, RESET);
    for (;;)
        __asm__ volatile("hlt");
}

PITOT_COMMAND(restart, "", "resets the machine, once", restart_run);
