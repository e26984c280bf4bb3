/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Branches by single steps, on this machine: a function with known branches, which must be reported
 * in order despite interrupts; windows that watches and breakpoints open, also in interrupts; and
 * that stepping does not disturb anything else.
 */
#include "arch/cpu.h"
#include "arch/snapshot.h"
#include "arch/watch.h"
#include "arch/x86_64/entry/trap.h"
#include "core/breakpoint/breakpoint.h"
#include "core/event/source_branches.h"
#include "core/lib/arguments.h"
#include "core/lib/string.h"
#include "core/perf/options.h"
#include "core/pitot.h"
#include "core/sample/records.h"
#include "core/symbols/symbols.h"
#include "kernel/time/ticks.h"
#include "kernel/time/timer.h"
#include "tests/kernel/ktap.h"

#define TICK_WINDOW  60
#define RUNS_MOST    1500 /* as many as fit into the ring */
#define TICKS_WANTED 600
#define IRETQ        0xcf48

void branches_known(void); /* tests/kernel/branches.asm */
extern const char branches_known_end[];

struct way {
    uint64_t from, to;
};

extern const struct way branches_expected[], branches_expected_end[];

static volatile uint32_t branches_word;
static unsigned breakpoints; /* number of handled int3 */

static bool start(const char *line)
{
    static struct perf_options options;
    static char text[160];
    struct arguments arguments;
    struct refusal why = {""};

    print_into(text, sizeof(text), "%s", line);
    if (arguments_split(text, &arguments, &why) == 0 &&
        perf_options_parse(arguments.count, arguments.value, &options, &why) == 0 &&
        recording_start(&options.recording, &why) == 0)
        return true;
    return ktap_ok(false, "%s: %s", line, why.text);
}

static bool is_known(uint64_t ip)
{
    return ip >= (uintptr_t)branches_known && ip < (uintptr_t)branches_known_end;
}

/* Reads the next sample of the recording. */
static bool next_sample(struct record_source *source, struct sample_view *view)
{
    const struct perf_event_header *record;

    while ((record = source->next(source)))
        if (sample_view_parse(record, source->events, source->event_count, view))
            return true;
    return false;
}

static bool is_branch(const struct sample_view *view)
{
    return view->event->attr.type == PERF_TYPE_HARDWARE;
}

static void serve_breakpoint(struct regs *regs)
{
    (void)regs;
    breakpoints++;
}

/* --- The list --------------------------------------------------------------------------------- */

static uint64_t run_known(void)
{
    uint64_t before = ticks, runs = 0;

    while (runs < RUNS_MOST && ticks < before + TICKS_WANTED) {
        branches_known();
        runs++;
    }
    return runs;
}

static unsigned long place(uint64_t ip)
{
    return ip - (uintptr_t)branches_known;
}

static void print_difference(uint64_t number, const struct sample_view *is, const struct way *way)
{
    print("#   branch %llu is from +0x%lx to +0x%lx, should be from +0x%lx to +0x%lx\n",
          (unsigned long long)number, place(is->ip), place(is->addr), place(way->from),
          place(way->to));
}

/* Compares the recording with the list, once for each run; counts interrupts inside. */
static void check_known(uint64_t runs)
{
    const size_t length = (size_t)(branches_expected_end - branches_expected);
    struct record_source *source = recording_source();
    uint64_t found = 0, wrong = 0, inside = 0;
    struct sample_view view;

    while (next_sample(source, &view)) {
        const struct way *way = &branches_expected[found % length];

        inside += !is_branch(&view) && is_known(view.ip);
        if (!is_branch(&view) || !is_known(view.ip) || !is_known(view.addr))
            continue;
        if ((view.ip != way->from || view.addr != way->to) && wrong++ == 0)
            print_difference(found, &view, way);
        found++;
    }
    ktap_equal(wrong, 0, "each branch of a function that has all kinds is the next of its list");
    ktap_equal(found, runs * length, "... and none is missing, and none too many");
    ktap_ok(inside > 0, "... though interrupts came in the middle");
    print("#   %llu runs of %llu branches, %llu interrupts inside\n", (unsigned long long)runs,
          (unsigned long long)length, (unsigned long long)inside);
}

static void claim_known(void)
{
    uint64_t runs;

    if (!start("record -m 4m -e branches,cpu-clock/freq=1000/"))
        return;
    trap_set_handler(VECTOR_BREAKPOINT, serve_breakpoint);
    breakpoints = 0;
    branches_workload_begin();
    runs = run_known();
    branches_workload_end();
    recording_stop();
    trap_set_handler(VECTOR_BREAKPOINT, NULL);
    check_known(runs);
    ktap_equal(breakpoints, runs, "... as were exceptions, which are served as ever");
    ktap_ok(branches_counts().steps > runs, "steps are counted");
}

/* --- Windows ---------------------------------------------------------------------------------- */

static volatile bool fired;

/* The timer's function, which runs in the timer's interrupt. */
static void branches_timer(void *data)
{
    (void)data;
    fired = true;
}

__attribute__((noinline)) static void branches_wait(void)
{
    struct timer timer = {.function = branches_timer};

    fired = false;
    timer_start(&timer, 1, 0);
    while (!fired)
        ;
    for (uint64_t before = ticks; ticks < before + 2;)
        ;
}

static uint64_t function_at(uint64_t ip)
{
    struct symbol symbol;

    return symbols_find_address(ip, &symbol) ? symbol.address : 0;
}

/*
 * From a handler to its iretq, and on in the interrupted code: branches_wait or, if the tick comes
 * that early, the code that starts the timer there. It is not the handler of each tick: a machine
 * may need longer to step through that than until the next tick.
 */
static void claim_interrupt(void)
{
    uint64_t out = 0, behind = 0, interrupted = 0;
    struct record_source *source;
    struct sample_view view;

    if (!start("record -m 1m -e branches/window=8000/ --start mem:branches_timer:x"))
        return;
    branches_wait();
    recording_stop();
    source = recording_source();
    while (next_sample(source, &view)) {
        if (!is_branch(&view))
            continue;
        behind += out && function_at(view.ip) == interrupted;
        if (*(const uint16_t *)view.ip != IRETQ)
            continue;
        out++;
        interrupted = function_at(view.addr);
    }
    ktap_equal(out, 1, "the way out of an interrupt is a branch, of iretq");
    ktap_ok(interrupted && behind > 0, "... and what it interrupted is stepped on");
    ktap_equal(branches_counts().windows, 1, "... in the window that its handler opened");
}

/* Executes at least so many instructions, none of which touches the word. */
static void pass_time(void)
{
    for (volatile unsigned i = 0; i < 50; i++)
        ;
}

/*
 * Machines differ in the store during an open window: it hits if watches work during steps, and
 * then makes the window longer.
 */
static void claim_watch(void)
{
    const uint64_t stores = 10;
    uint64_t most;

    if (!start("record -m 1m -e branches/window=20/ --start mem:branches_word/4:w"))
        return;
    for (uint64_t i = 0; i < stores; i++) {
        branches_word = 1;
        branches_word = 2;
        pass_time();
    }
    recording_stop();
    most = stores * 40;
    ktap_equal(branches_counts().windows, stores, "a watched store opens a window");
    ktap_ok(branches_counts().steps >= stores * 20 && branches_counts().steps <= most,
            "... which ends in time");
    ktap_equal(branches_word, 2, "... and a store inside of it is done");
}

/*
 * Records one store, with a window of so many instructions that `opener` opens. True if, after the
 * recording has stopped, the watches are as if nothing had been stepped.
 */
static bool stops_well(unsigned window, const char *opener)
{
    char line[80];
    uint64_t flags;
    bool well;

    print_into(line, sizeof(line), "record -m 4k -e branches/window=%u/ --start %s", window,
               opener);
    if (!start(line))
        return false;
    branches_word = 1;
    recording_stop();
    flags = arch_irq_save();
    well = arch_watch_audit(arch_cpu_id());
    arch_irq_restore(flags);
    return well;
}

/*
 * The audit in recording_stop must not take a window's end for a lapse. First a window ends at each
 * instruction of recording_stop in turn, up to where that closes it. Then windows begin in the
 * audit itself, as it reads the first watch's address: it must end nevertheless.
 */
static void claim_ends(void)
{
    const unsigned instructions = 100; /* of recording_stop, and of an audit; both have more */
    uint64_t before = pitot_lapses(arch_cpu_id()), wrong = 0;
    unsigned window = 0;

    do
        wrong += !stops_well(++window, "mem:branches_word/4:w");
    while (branches_counts().steps == window);
    ktap_equal(wrong, 0, "watches are on again wherever a window ends");
    ktap_equal(pitot_lapses(arch_cpu_id()) - before, 0, "... and were not off before");
    ktap_ok(window > instructions, "... up to where recording_stop closes it");
    print("#   %u places\n", window);
    /*
     * Each tick reads the watches, and so opens a window. The window must be over by the next tick,
     * which comes on Bochs after 40,000 instructions; a step takes some 300.
     */
    for (wrong = 0, window = 1; window <= TICK_WINDOW; window++)
        wrong += !stops_well(window, "mem:debugreg/8:rw");
    ktap_equal(wrong, 0, "... and where one begins in what looks at the watches");
}

static void claim_nothing_left(void)
{
    uint64_t steps = branches_counts().steps;

    branches_wait();
    ktap_equal(branches_counts().steps, steps, "nothing is stepped when the recording has ended");
    ktap_ok(!(arch_flags() & FLAGS_TRAP), "... nor marked to be");
}

static void branches_claims(void)
{
    claim_known();
    claim_interrupt();
    claim_watch();
    claim_ends();
    claim_nothing_left();
}

KTAP_SUITE(branches, "branches, by single steps");
