/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two CPUs, and one race of each kind that `pitot race` finds; with -DMENDED none. The functions
 * and their races, with the default build:
 *
 *     writes       each CPU writes its number                          two writes
 *     counts       each increments a counter                           lost
 *     tears        one writes a pair of words, the other reads it      torn
 *     publishes    a message is marked ready while it is filled    a read and a write
 *     claims       a CPU that finds no owner becomes it                lost
 *     walks        a list is read while an entry is taken out of it    a read and a write
 *
 * Correct in both builds: a lock's own word, CPUs that wait for a flag, an order by fences, each
 * CPU's statistics in one array, and memory that is handed over.
 */
#include "tests/guests/cpus.h"

#ifdef MENDED
#define WRONG 0
#else
#define WRONG 1
#endif

#define CPUS  2
#define WORDS 8
#ifndef TURNS
#define TURNS 20000
#endif

static volatile int lock;
static volatile unsigned arrived;
static volatile long sink[CPUS];

static void enter(void)
{
    if (!WRONG)
        lock_take(&lock);
}

static void leave(void)
{
    if (!WRONG)
        lock_give(&lock);
}

static volatile long last_writer;

NOINLINE static void writes(unsigned cpu)
{
    enter();
    last_writer = cpu;
    leave();
}

static volatile long counter;

NOINLINE static void counts(unsigned cpu)
{
    (void)cpu;
    enter();
    counter = counter + 1;
    leave();
}

static struct {
    volatile long low, high;
} pair;

NOINLINE static void tears(unsigned cpu)
{
    enter();
    if (cpu == 0) {
        pair.low = pair.low + 1;
        pair.high = pair.low;
    } else {
        sink[cpu] = pair.high - pair.low;
    }
    leave();
}

static volatile long message[WORDS];
static volatile int ready;

NOINLINE static void fill(void)
{
    for (int i = 0; i < WORDS; i++)
        message[i] = message[i] + 1;
}

NOINLINE static void publishes(unsigned cpu)
{
    enter();
    if (cpu == 0) {
        ready = 1;
        fill();
        ready = 0;
    } else if (ready) {
        for (int i = 0; i < WORDS; i++)
            sink[cpu] = message[i];
    }
    leave();
}

static volatile long owner;

NOINLINE static void claims(unsigned cpu)
{
    enter();
    if (!owner)
        owner = cpu + 1;
    if (owner == cpu + 1)
        owner = 0;
    leave();
}

static struct entry {
    struct entry *volatile next;
    volatile long value;
} entries[4], *volatile head;

NOINLINE static void walks(unsigned cpu)
{
    enter();
    if (cpu == 0) { /* removes the second entry, and puts it back */
        entries[0].next = &entries[2];
        entries[1].next = 0;
        entries[1].value = -1;
        entries[1].next = &entries[2];
        entries[1].value = 1;
        entries[0].next = &entries[1];
    } else {
        long sum = 0;

        for (struct entry *entry = head; entry; entry = entry->next)
            sum += entry->value;
        sink[cpu] = sum;
    }
    leave();
}

/* --- Correct code --- */

static volatile long statistics[CPUS];

NOINLINE static void tallies(unsigned cpu)
{
    statistics[cpu] = statistics[cpu] + 1;
}

static volatile int wants[CPUS];
static volatile long guarded;

/* Only a CPU whose flag the other one does not contest proceeds; nothing waits. */
NOINLINE static void tries(unsigned cpu)
{
    wants[cpu] = 1;
    __asm__ volatile("mfence" ::: "memory");
    if (!wants[!cpu])
        guarded = guarded + 1;
    wants[cpu] = 0;
}

static volatile long handed[WORDS];

/* The CPU whose turn it is writes everything. */
NOINLINE static void hands_on(unsigned cpu)
{
    static volatile long round;

    while (round % CPUS != cpu)
        __asm__ volatile("pause");
    for (int i = 0; i < WORDS; i++)
        handed[i] = handed[i] + 1;
    round = round + 1;
}

/* Repeats until each CPU has made that many turns: the host may run one of them much later. */
static void repeat(void (*function)(unsigned cpu), unsigned cpu, unsigned turns)
{
    static volatile unsigned done;

    meet(&arrived, CPUS);
    done = 0;
    meet(&arrived, CPUS);
    for (unsigned i = 0; done < CPUS; i++) {
        function(cpu);
        if (i + 1 == turns)
            __atomic_fetch_add(&done, 1, __ATOMIC_SEQ_CST);
    }
}

/* For functions in which the CPUs take turns: both make the same number. */
static void alternate(void (*function)(unsigned cpu), unsigned cpu, unsigned turns)
{
    meet(&arrived, CPUS);
    for (unsigned i = 0; i < turns; i++)
        function(cpu);
}

static void run(unsigned cpu)
{
    repeat(writes, cpu, TURNS);
    repeat(counts, cpu, TURNS);
    repeat(tears, cpu, TURNS);
    repeat(publishes, cpu, TURNS / 2);
    repeat(claims, cpu, TURNS);
    repeat(walks, cpu, TURNS);
    repeat(tallies, cpu, TURNS);
    repeat(tries, cpu, TURNS);
    alternate(hands_on, cpu, TURNS / 40);
    meet(&arrived, CPUS);
}

void cpu_main(unsigned cpu)
{
    run(cpu);
}

void main(void)
{
    for (int i = 0; i < 3; i++)
        entries[i].next = &entries[i + 1];
    head = entries;
    start_cpus(CPUS);
    run(0);
    quit();
}
