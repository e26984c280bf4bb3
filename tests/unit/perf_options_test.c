/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The options of perf record and perf stat: each one, each term of an event, each refusal with its
 * reason, and noise. tests/unit/event_spec_test.c tests the events themselves.
 *
 * links: tests/unit/fake_events.c tests/unit/fake_task.c tests/unit/fake_cpu.c tests/unit/fake_preempt.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arch/regs.h"
#include "arch/step.h"
#include "core/event/source.h"
#include "core/event/source_clock.h"
#include "core/lib/assert.h"
#include "core/perf/options.h"
#include "core/sample/sample.h"
#include "core/symbols/symbols.h"
#include "core/tracepoint/tracepoint.h"
#include "tests/unit/random.h"

#define WORDS_MOST 24

PITOT_TRACEPOINT(slots, some, 1, PITOT_FIELD(s32, count, "count=%d"));

/* Everything that an event other than a tracepoint can request. */
#define SAMPLE_OF_WATCH (SAMPLE_OPTIONAL & ~PERF_SAMPLE_RAW)

static struct perf_options options;
static struct refusal why;

/* Which methods this kernel has: a table, frame pointers. */
static bool possible[UNWIND_METHODS];
static enum unwind_method method_default;

bool unwind_possible(enum unwind_method method)
{
    return possible[method];
}

enum unwind_method unwind_default(void)
{
    return method_default;
}

_Noreturn void assert_failed(const char *claim, const char *file, int line)
{
    mock_assert(0, claim, file, line);
    abort();
}

static unsigned cpus; /* of the machine */

unsigned arch_cpus(void)
{
    return cpus;
}

static bool excludes; /* whether the machine cannot step over a watched access */

bool arch_step_excludes_watches(void)
{
    return excludes;
}

static void set_kernel(bool table, bool pointers, enum unwind_method by_default)
{
    possible[UNWIND_BY_TABLE] = table;
    possible[UNWIND_BY_FRAME_POINTER] = pointers;
    method_default = by_default;
}

static int setup(void **state)
{
    (void)state;
    set_kernel(true, true, UNWIND_BY_FRAME_POINTER);
    excludes = false;
    cpus = 4;
    return 0;
}

int symbols_find_name(const char *name, struct symbol *found, size_t *count)
{
    *count = strcmp(name, "kernel_flag") == 0;
    *found = (struct symbol){
        .name = "kernel_flag", .address = 0xffffffff80001000, .size = 4, .kind = 'D'};
    return *count ? 0 : -ENOENT;
}

bool symbols_by_name(size_t index, struct symbol *found)
{
    *found = (struct symbol){.name = "kernel_flag", .kind = 'D'};
    return index == 0;
}

size_t symbols_count(void)
{
    return 1;
}

/* Passes words in separate memory, as the parser splits them; valid until the next call. */
static int parse_words(char *const *words, int count)
{
    static char *copies[WORDS_MOST];

    for (int i = 0; i < WORDS_MOST; i++) {
        free(copies[i]);
        copies[i] = i < count ? strdup(words[i]) : NULL;
    }
    memset(&why, 0, sizeof(why));
    memset(&options, 0xa5, sizeof(options));
    return perf_options_parse(count, copies, &options, &why);
}

/* Parses a command line of words between single spaces. */
static int parse(const char *line)
{
    char *words[WORDS_MOST], *copy = strdup(line);
    int count = 0, error;

    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
        words[count++] = word;
    error = parse_words(words, count);
    free(copy);
    return error;
}

static void assert_refused(const char *line, const char *reason)
{
    assert_int_equal(parse(line), -EINVAL);
    if (!strstr(why.text, reason))
        fail_msg("\"%s\": \"%s\" lacks \"%s\"", line, why.text, reason);
}

static const struct perf_event_attr *attr_of(unsigned event)
{
    assert_true(event < options.recording.event_count);
    return &options.recording.events[event].attr;
}

static void one_event_gets_the_defaults(void **state)
{
    (void)state;
    assert_int_equal(parse("record -e mem:kernel_flag:rw"), 0);
    assert_int_equal(options.recording.event_count, 1);
    assert_string_equal(options.recording.events[0].name, "mem:kernel_flag:rw");
    assert_int_equal(attr_of(0)->bp_addr, 0xffffffff80001000);
    assert_int_equal(attr_of(0)->sample_type, SAMPLE_ALWAYS);
    assert_int_equal(attr_of(0)->sample_id_all, 1);
    assert_int_equal(attr_of(0)->sample_period, 1);
    assert_int_equal(attr_of(0)->sample_regs_intr, 0);
    assert_int_equal(options.recording.ring_size, RECORDING_RING_DEFAULT);
    assert_false(options.recording.overwrite);
    assert_int_equal(options.recording.rate, 0);
    assert_null(options.workload);
    assert_int_equal(options.workload_count, 0);
}

static void each_option_sets_what_it_says(void **state)
{
    static const struct {
        const char *line;
        uint64_t fields, period;
    } cases[] = {
        {"record -e mem:0xffffffff80001000 -g", PERF_SAMPLE_CALLCHAIN, 1},
        {"record -g -e mem:0xffffffff80001000", PERF_SAMPLE_CALLCHAIN, 1},
        {"record -e mem:0xffffffff80001000 --call-graph fp", PERF_SAMPLE_CALLCHAIN, 1},
        {"record -e mem:0xffffffff80001000 --call-graph orc", PERF_SAMPLE_CALLCHAIN, 1},
        {"record -e mem:0xffffffff80001000 --call-graph no -g", PERF_SAMPLE_CALLCHAIN, 1},
        {"record -e mem:0xffffffff80001000 -g --call-graph no", 0, 1},
        {"record -e mem:0xffffffff80001000 --skip 3 -g", PERF_SAMPLE_CALLCHAIN, 1},
        {"record -e mem:0xffffffff80001000 -g --verify-chain", PERF_SAMPLE_CALLCHAIN, 1},
        {"record -e mem:0xffffffff80001000 -g --call-graph no", 0, 1},
        {"record -e mem:0xffffffff80001000 --intr-regs", PERF_SAMPLE_REGS_INTR, 1},
        {"record -e mem:0xffffffff80001000 -c 7", PERF_SAMPLE_PERIOD, 7},
        {"record -e cpu-clock -c 100000", PERF_SAMPLE_PERIOD, 100000},
        {"record -e cpu-clock:k -c 7000000000", PERF_SAMPLE_PERIOD, 7000000000},
        {"record --count 7 --event mem:0xffffffff80001000", PERF_SAMPLE_PERIOD, 7},
        {"record -a -e mem:0xffffffff80001000", 0, 1},
        {"record -c 3 -g --intr-regs -R -e mem:0xffffffff80001000", SAMPLE_OF_WATCH, 3},
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(parse(cases[i].line), 0);
        assert_int_equal(attr_of(0)->sample_type, SAMPLE_ALWAYS | cases[i].fields);
        assert_int_equal(attr_of(0)->sample_period, cases[i].period);
        assert_false(attr_of(0)->freq);
        assert_int_equal(attr_of(0)->sample_regs_intr,
                         cases[i].fields & PERF_SAMPLE_REGS_INTR ? ARCH_SAMPLED : 0);
    }
    assert_int_equal(parse("record -e mem:0xffffffff80001000 --overwrite"), 0);
    assert_true(options.recording.overwrite);
    assert_int_equal(parse("record -e mem:0xffffffff80001000 --trigger "
                           "mem:0xffffffff80002000,mem:0xffffffff80003000/period=5/ -g"),
                     0);
    assert_int_equal(options.recording.event_count, 3);
    assert_false(options.recording.events[0].trigger);
    assert_true(options.recording.events[1].trigger);
    assert_true(options.recording.events[2].trigger);
    assert_int_equal(options.recording.events[2].attr.sample_period, 5);
}

static void assert_frequency(unsigned event, uint64_t hertz)
{
    assert_true(attr_of(event)->freq);
    assert_int_equal(attr_of(event)->sample_freq, hertz);
    assert_int_equal(attr_of(event)->sample_type, SAMPLE_ALWAYS | PERF_SAMPLE_PERIOD);
}

static void assert_period(unsigned event, uint64_t period)
{
    assert_false(attr_of(event)->freq);
    assert_int_equal(attr_of(event)->sample_period, period);
}

static void a_frequency_is_given_for_all_events_or_for_one(void **state)
{
    (void)state;
    assert_int_equal(parse("record -F 99 -e mem:0xffffffff80001000,cpu-clock"), 0);
    assert_frequency(0, 99);
    assert_frequency(1, 99);
    assert_int_equal(parse("record -e mem:0xffffffff80001000 --freq 1000000"), 0);
    assert_frequency(0, 1000000);
    assert_int_equal(
        parse(
            "record -e mem:0xffffffff80001000/freq=50/,mem:0xffffffff80002000,cpu-clock/freq=max/"),
        0);
    assert_frequency(0, 50);
    assert_period(1, 1);
    assert_frequency(2, EVENT_CLOCK_HERTZ_MAX);
}

static void the_most_possible_is_each_events_own(void **state)
{
    (void)state;
    assert_int_equal(parse("record -F max -e mem:0xffffffff80001000,cpu-clock"), 0);
    assert_frequency(0, PACE_HERTZ_MAX);
    assert_frequency(1, EVENT_CLOCK_HERTZ_MAX);
}

static void the_clock_keeps_a_frequency_unless_a_period_is_given(void **state)
{
    (void)state;
    assert_int_equal(parse("record -e cpu-clock,mem:0xffffffff80001000"), 0);
    assert_int_equal(attr_of(0)->type, PERF_TYPE_SOFTWARE);
    assert_int_equal(attr_of(0)->config, PERF_COUNT_SW_CPU_CLOCK);
    assert_frequency(0, 4000);
    assert_period(1, 1);
    assert_int_equal(parse("record -e cpu-clock/period=200000/"), 0);
    assert_period(0, 200000);
}

static void a_term_of_either_kind_beats_both_options(void **state)
{
    (void)state;
    assert_int_equal(
        parse("record -F 99 -e mem:0xffffffff80001000/period=3/,mem:0xffffffff80002000"), 0);
    assert_period(0, 3);
    assert_frequency(1, 99);
    assert_int_equal(
        parse("record -c 5 -e mem:0xffffffff80001000/freq=100/,mem:0xffffffff80002000"), 0);
    assert_frequency(0, 100);
    assert_period(1, 5);
}

static void rates_that_cannot_be_had_are_refused_with_the_most_possible(void **state)
{
    (void)state;
    assert_refused("record -e mem:0xffffffff80001000 -F 0",
                   "frequency \"0\": a whole number from 1, or max");
    assert_refused("record -e mem:0xffffffff80001000 -F 1k", "frequency \"1k\"");
    assert_refused("record -e mem:0xffffffff80001000 -F maximum", "frequency \"maximum\"");
    assert_refused("record -e mem:0xffffffff80001000 -F 99999999999999999999", "frequency");
    assert_refused("record -e mem:0xffffffff80001000 -F", "-F needs a value");
    assert_refused("record -e mem:0xffffffff80001000/freq=0/", "frequency \"0\"");
    assert_refused("record -e mem:0xffffffff80001000 -F 1000001",
                   "mem:0xffffffff80001000: 1000001 samples a second: at most 1000000 are allowed");
    assert_refused("record -F 10001 -e mem:0xffffffff80001000,cpu-clock",
                   "cpu-clock: 10001 samples a second: at most 10000 are allowed");
    assert_refused("record -e cpu-clock -c 99999",
                   "cpu-clock: a sample every 99999 ns: every 100000 ns is the most possible");
    assert_refused("record -e mem:0xffffffff80001000 -F 5 -c 5", "-c and -F cannot be combined");
    assert_refused("record -e mem:0xffffffff80001000/freq=5,period=5/",
                   "mem:0xffffffff80001000: period= and freq= cannot be combined");
    assert_refused("stat -F 5 -e mem:0xffffffff80001000", "-F: perf stat only counts");
    assert_refused("stat -e cpu-clock/freq=5/",
                   "cpu-clock: its terms are for samples: perf stat only counts");
    assert_int_equal(parse("stat -e cpu-clock"), 0);
}

#define WATCH "-e mem:0xffffffff80001000"

static void counts_can_be_of_several_runs_or_of_intervals(void **state)
{
    (void)state;
    assert_int_equal(parse("stat " WATCH " -r 7 -- help"), 0);
    assert_int_equal(options.stat.runs, 7);
    assert_int_equal(options.stat.interval_ms, 0);
    assert_int_equal(options.workload_count, 1);
    assert_int_equal(parse("stat " WATCH " --repeat 1000 -- help"), 0);
    assert_int_equal(options.stat.runs, 1000);
    assert_int_equal(parse("stat " WATCH " -I 10"), 0);
    assert_int_equal(options.stat.interval_ms, 10);
    assert_int_equal(options.stat.runs, 0);
    assert_int_equal(parse("stat " WATCH " --interval-print 4294967295 -- help -r 0"), 0);
    assert_int_equal(options.stat.interval_ms, UINT32_MAX);

    assert_refused("stat " WATCH " -r 0 -- help", "-r \"0\": 1 to 1000 runs are allowed");
    assert_refused("stat " WATCH " -r 1001 -- help", "-r \"1001\": 1 to 1000 runs are allowed");
    assert_refused("stat " WATCH " --repeat 3x -- help",
                   "--repeat \"3x\": 1 to 1000 runs are allowed");
    assert_refused("stat " WATCH " -r 3", "-r needs a command: add -- COMMAND");
    assert_refused("stat " WATCH " -r", "option -r needs a value");
    assert_refused("stat " WATCH " -I 9", "-I \"9\": whole milliseconds from 10 are allowed");
    assert_refused("stat " WATCH " -I 4294967296", "whole milliseconds from 10");
    assert_refused("stat " WATCH " -I", "option -I needs a value");
    assert_refused("stat " WATCH " -r 3 -I 100 -- help", "-r and -I cannot be combined");
    assert_refused("record -r 3 -- help", "unknown option \"-r\"; there are -e EVENT");
    assert_refused("record -I 100 -- help", "unknown option \"-I\"; there are -e EVENT");
    assert_refused("stat --frob", "unknown option \"--frob\"; there are -e EVENT, --filter EXPR, "
                                  "--start EVENT, --by KEY, --hist FIELD, --from EVENT, --to "
                                  "EVENT, --key FIELD, -p PID, -C CPUS, -a, -r N, "
                                  "-I MS, -- COMMAND");
}

static const struct event_window *window_of(unsigned event)
{
    return &options.recording.events[event].window;
}

/* With a period of 1 and no period field, perf recognises branches by the event's attributes. */
static void branches_are_of_the_workload_or_of_what_a_breakpoint_starts(void **state)
{
    (void)state;
    assert_int_equal(parse("record -e branches -- help"), 0);
    assert_int_equal(attr_of(0)->type, PERF_TYPE_HARDWARE);
    assert_int_equal(attr_of(0)->config, PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
    assert_int_equal(attr_of(0)->sample_type, SAMPLE_ALWAYS);
    assert_period(0, 1);
    assert_int_equal(window_of(0)->instructions, 0);
    assert_false(window_of(0)->started);
    assert_int_equal(parse("record -e branches/window=2k,period=3/ -- help"), 0);
    assert_int_equal(window_of(0)->instructions, 2048);
    assert_period(0, 3);
    assert_int_equal(
        parse("record --start mem:0xffffffff80001000:x -e branch-instructions:k/window=7/"), 0);
    assert_true(options.recording.events[0].start);
    assert_false(window_of(0)->started);
    assert_false(options.recording.events[1].start);
    assert_true(window_of(1)->started);
    assert_int_equal(window_of(1)->instructions, 7);
    assert_int_equal(parse("stat --start mem:0xffffffff80001000:w -e branches/window=7/"), 0);
}

static void what_branches_have_none_of_is_the_other_events(void **state)
{
    (void)state;
    assert_int_equal(parse("record -g --intr-regs -e branches,mem:0xffffffff80001000"), 0);
    assert_int_equal(attr_of(0)->sample_type, SAMPLE_ALWAYS);
    assert_int_equal(attr_of(0)->sample_regs_intr, 0);
    assert_int_equal(attr_of(1)->sample_type,
                     SAMPLE_ALWAYS | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_INTR);
    assert_refused("record -g -e branches", "-g: a branch has only from and to");
    assert_refused("record --intr-regs -e branches", "--intr-regs: a branch has only");
    assert_refused("record -e branches/call-graph=orc/", "a branch has no call chain");
    assert_refused("record -e branches/regs=yes/ -e mem:0xffffffff80001000",
                   "a branch has no call chain");
    assert_refused("record -e branches/raw=yes/", "branches is not a tracepoint");
    assert_refused("record -F 10 -e branches", "-F: not for branches: use -c N");
    assert_refused("record -e branches/freq=max/", "-F: not for branches: use -c N");
    assert_refused("record -e branches,branches:k",
                   "branches: a recording can have this event only once");
    assert_refused("record -e branches/window=0/", "window \"0\": a number of instructions");
    assert_refused("record -e mem:0xffffffff80001000/window=5/",
                   "window= is a term of -e branches, not of mem:");
    assert_refused("record --start mem:0xffffffff80001000", "add -e branches");
    assert_refused("record --start", "--start needs a value");
    assert_refused("record -e branches --start cpu-clock", "only a breakpoint opens the window");
    assert_refused("record --start branches", "only a breakpoint opens the window");
}

static void a_machine_may_not_step_over_what_it_watches(void **state)
{
    (void)state;
    assert_int_equal(parse("record -e branches,mem:0xffffffff80001000:w"), 0);
    excludes = true;
    assert_refused("record -e branches,mem:0xffffffff80001000:w",
                   "mem:0xffffffff80001000:w: QEMU's TCG cannot step an instruction");
    assert_refused("record -e branches --trigger mem:0xffffffff80001000:rw",
                   "can be watched by --start only");
    assert_int_equal(parse("record -e branches --start mem:0xffffffff80001000:w --trigger "
                           "mem:0xffffffff80002000:x"),
                     0);
    assert_int_equal(parse("record -e mem:0xffffffff80001000:w"), 0);
}

static void a_ring_is_given_in_pages_or_in_bytes_with_a_unit(void **state)
{
    static const struct {
        const char *line;
        uint64_t size;
    } cases[] = {
        {"record -e mem:0xffffffff80001000 -m 8", 8 * 4096},
        {"record -e mem:0xffffffff80001000 -m 64k", 64 << 10},
        {"record -e mem:0xffffffff80001000 -m 64K", 64 << 10},
        {"record -e mem:0xffffffff80001000 --mmap-pages 2m", 2 << 20},
        {"record -e mem:0xffffffff80001000 -m 2M", 2 << 20},
        {"record -e mem:0xffffffff80001000 -m 3", 3 * 4096}, /* the ring refuses later */
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(parse(cases[i].line), 0);
        assert_int_equal(options.recording.ring_size, cases[i].size);
    }
}

static void several_events_stand_between_commas_or_in_several_options(void **state)
{
    (void)state;
    assert_int_equal(
        parse(
            "record -e mem:0xffffffff80001000,mem:0xffffffff80002000/8:w -e 5:0xffffffff80003000"),
        0);
    assert_int_equal(options.recording.event_count, 3);
    assert_int_equal(attr_of(0)->bp_addr, 0xffffffff80001000);
    assert_int_equal(attr_of(1)->bp_addr, 0xffffffff80002000);
    assert_int_equal(attr_of(1)->bp_len, 8);
    assert_int_equal(attr_of(2)->bp_addr, 0xffffffff80003000);
}

static void terms_hold_for_their_event_alone(void **state)
{
    (void)state;
    assert_int_equal(
        parse("record -g -c 5 -e mem:0xffffffff80001000/period=3,call-graph=no,regs=yes/"
              ",mem:0xffffffff80002000/4/regs=yes/,mem:0xffffffff80003000"),
        0);
    assert_int_equal(options.recording.event_count, 3);
    assert_string_equal(options.recording.events[0].name, "mem:0xffffffff80001000");
    assert_int_equal(attr_of(0)->sample_period, 3);
    assert_int_equal(attr_of(0)->sample_type,
                     SAMPLE_ALWAYS | PERF_SAMPLE_PERIOD | PERF_SAMPLE_REGS_INTR);
    assert_string_equal(options.recording.events[1].name, "mem:0xffffffff80002000/4");
    assert_int_equal(attr_of(1)->sample_period, 5);
    assert_int_equal(attr_of(1)->sample_type, SAMPLE_ALWAYS | SAMPLE_OF_WATCH);
    assert_int_equal(attr_of(2)->sample_period, 5);
    assert_int_equal(attr_of(2)->sample_type,
                     SAMPLE_ALWAYS | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN);
}

static void a_term_beats_the_option_either_way(void **state)
{
    (void)state;
    assert_int_equal(
        parse("record -e mem:0xffffffff80001000/call-graph=fp/,mem:0xffffffff80002000"), 0);
    assert_int_equal(attr_of(0)->sample_type, SAMPLE_ALWAYS | PERF_SAMPLE_CALLCHAIN);
    assert_int_equal(attr_of(1)->sample_type, SAMPLE_ALWAYS);
    assert_int_equal(parse("record --intr-regs -e mem:0xffffffff80001000/regs=no/"), 0);
    assert_int_equal(attr_of(0)->sample_type, SAMPLE_ALWAYS);
    assert_int_equal(attr_of(0)->sample_regs_intr, 0);
}

static void assert_workload(const char *line, int count, const char *first)
{
    assert_int_equal(parse(line), 0);
    assert_int_equal(options.workload_count, count);
    assert_string_equal(options.workload[0], first);
}

static void the_rest_of_the_line_is_the_workload(void **state)
{
    (void)state;
    assert_workload("record -e mem:0xffffffff80001000 -- fs-stress -n 3 -e x", 5, "fs-stress");
    assert_workload("record -e mem:0xffffffff80001000 fs-stress -n 3", 3, "fs-stress");
    assert_workload("record -e mem:0xffffffff80001000 -- -g", 1, "-g");
    assert_int_equal(attr_of(0)->sample_type, SAMPLE_ALWAYS);
}

static void without_an_event_it_is_the_clock(void **state)
{
    static const char *const lines[] = {"record", "record -g", "record -- fs-stress"};

    (void)state;
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        assert_int_equal(parse(lines[i]), 0);
        assert_int_equal(options.recording.event_count, 1);
        assert_int_equal(attr_of(0)->type, PERF_TYPE_SOFTWARE);
        assert_int_equal(attr_of(0)->sample_freq, clock_source.hertz_default);
    }
}

static void what_is_wrong_is_named(void **state)
{
    (void)state;
    assert_refused("record -e", "-e needs a value");
    assert_refused("record -e mem:0xffffffff80001000 -c", "-c needs a value");
    assert_refused("record -e mem:0xffffffff80001000 --trigger", "--trigger needs a value");
    assert_refused("record -e mem:0xffffffff80001000 --trigger cycles", "unknown event \"cycles\"");
    assert_refused("stat -e mem:0xffffffff80001000 --trigger mem:0xffffffff80002000",
                   "--trigger: perf stat only counts");
    assert_refused("stat -g -e mem:0xffffffff80001000", "-g: perf stat only counts");
    assert_refused("stat -e mem:0xffffffff80001000 -R -g", "-R: perf stat only counts");
    assert_refused("stat -e mem:0xffffffff80001000 -c 7", "-c: perf stat only counts");
    assert_refused("stat -e mem:0xffffffff80001000 -m 8k", "-m: perf stat only counts");
    assert_refused("stat -z -e mem:0xffffffff80001000", "-z: perf stat only counts");
    assert_refused("stat -e mem:0xffffffff80001000 --overwrite",
                   "--overwrite: perf stat only counts");
    assert_refused("stat -e mem:0xffffffff80001000 --intr-regs",
                   "--intr-regs: perf stat only counts");
    assert_refused("stat -e mem:0xffffffff80001000/period=7/", "its terms are for samples");
    assert_refused("record -e mem:0xffffffff80001000 -m", "-m needs a value");
    assert_refused("record -e mem:0xffffffff80001000 --call-graph", "--call-graph needs a value");
    assert_refused("record -e mem:0xffffffff80001000 --skip", "--skip needs a value");
    assert_refused("record -e mem:0xffffffff80001000 --", "no command after --");
    assert_refused("record -e mem:0xffffffff80001000 -x", "unknown option \"-x\"");
    assert_refused("record -e mem:0xffffffff80001000 -", "unknown option \"-\"");
    assert_refused("record -e mem:0xffffffff80001000 --overwritten", "unknown option");
    assert_refused("record -e cycles", "unknown event \"cycles\"");
    assert_refused("record -e mem:0xffffffff80001000,", "unknown event \"\"");
    assert_refused("record -e ,mem:0xffffffff80001000", "unknown event \"\"");
    assert_int_equal(parse("record -e mem:kernel_flags"), -ENOENT);
    assert_non_null(strstr(why.text, "kernel_flags"));
}

static void numbers_that_are_none_are_refused(void **state)
{
    (void)state;
    assert_refused("record -e mem:0xffffffff80001000 -c 0", "period \"0\"");
    assert_refused("record -e mem:0xffffffff80001000 -c -1", "period \"-1\"");
    assert_refused("record -e mem:0xffffffff80001000 -c 1k", "period \"1k\"");
    assert_refused("record -e mem:0xffffffff80001000 -c 99999999999999999999", "period");
    assert_refused("record -e mem:0xffffffff80001000 -m 0", "ring size \"0\"");
    assert_refused("record -e mem:0xffffffff80001000 -m 17592186044416m", "ring size");
    assert_refused("record -e mem:0xffffffff80001000 -m 4503599627370496", "ring size");
    assert_refused("record -e mem:0xffffffff80001000 -m k", "ring size \"k\"");
    assert_refused("record -e mem:0xffffffff80001000 -m 8kb", "ring size \"8kb\"");
    assert_refused("record -e mem:0xffffffff80001000 -m 0x10", "ring size \"0x10\"");
    assert_refused("record -e mem:0xffffffff80001000 -g --skip 0", "skip \"0\": 1 to 126 callers");
    assert_refused("record -e mem:0xffffffff80001000 -g --skip 127",
                   "skip \"127\": 1 to 126 callers");
    assert_refused("record -e mem:0xffffffff80001000 -g --skip -1", "skip \"-1\"");
    assert_refused("record -e mem:0xffffffff80001000 -g --skip 1k", "skip \"1k\"");
    assert_refused("record -e mem:0xffffffff80001000 -g --skip 18446744073709551617", "skip");
}

/* First, in the middle and last among terms with values, in each event of a list. */
static void a_flag_is_a_term_in_any_place(void **state)
{
    static const char *const terms[] = {"stop,period=7,regs=yes", "period=7,stop,regs=yes",
                                        "period=7,regs=yes,stop"};
    static const char *const places[] = {"mem:/bin/load:0x402000", "mem:/bin/load:0x402000/8",
                                         "mem:/bin/load:0x402000/8:w"};

    (void)state;
    for (unsigned i = 0; i < 27; i++) {
        const char *place = places[i / 3 % 3], *first = terms[i % 3], *last = terms[i / 9];
        char line[200];

        snprintf(line, sizeof(line), "record -e %s/%s/,%s,cpu-clock,%s/%s/ -- /bin/load", place,
                 first, place, place, last);
        if (parse(line))
            fail_msg("%s: %s", line, why.text);
        assert_int_equal(options.recording.event_count, 4);
        for (unsigned event = 0; event < 4; event++) {
            bool has = event % 3 == 0;

            assert_int_equal(options.recording.events[event].stop, has);
            assert_int_equal(attr_of(event)->sample_period == 7, has);
            assert_int_equal(attr_of(event)->sample_regs_intr != 0, has);
        }
    }
}

static void terms_that_are_none_are_refused(void **state)
{
    (void)state;
    assert_refused("record -e mem:0xffffffff80001000/period=0/", "period \"0\"");
    assert_refused("record -e mem:0xffffffff80001000/period/", "event term \"period\"");
    assert_refused("record -e mem:0xffffffff80001000/rate=3/", "event term \"rate=3\"");
    assert_refused("record -e mem:0xffffffff80001000/regs=maybe/", "event term \"regs=maybe\"");
    assert_refused("record -e mem:0xffffffff80001000/call-graph=lbr/", "call-graph \"lbr\"");
    assert_refused("record -e mem:0xffffffff80001000/skip=0/", "skip \"0\"");
    assert_refused("record -e mem:0xffffffff80001000/verify-chain=yes/",
                   "event term \"verify-chain=yes\"");
    assert_refused("record -e mem:0xffffffff80001000/skip/", "event term \"skip\"");
    assert_refused("record -e mem:0xffffffff80001000/", "the terms must be between two slashes");
    assert_refused("record -e mem:0xffffffff80001000/4/", "event term \"4\"");
    assert_refused("record -e mem:0xffffffff80001000//", "event term \"\"");
    assert_refused("record -e mem:0xffffffff80001000/period=3,/", "event term \"\"");
}

/* --- Call chains. --- */

static const struct sample_chain *chain_of(unsigned event)
{
    assert_true(attr_of(event)->sample_type & PERF_SAMPLE_CALLCHAIN);
    return &options.recording.events[event].chain;
}

static void assert_method(const char *line, enum unwind_method method)
{
    assert_int_equal(parse(line), 0);
    assert_int_equal(chain_of(0)->method, method);
    assert_int_equal(chain_of(0)->skip, 0);
    assert_false(chain_of(0)->verify);
}

static void chains_are_made_in_the_kernels_own_way_unless_one_is_named(void **state)
{
    (void)state;
    for (enum unwind_method method = 0; method < UNWIND_METHODS; method++) {
        set_kernel(true, true, method);
        assert_method("record -g -e mem:0xffffffff80001000", method);
        assert_method("record -g --call-graph orc -e mem:0xffffffff80001000", UNWIND_BY_TABLE);
        assert_method("record --call-graph orc -e mem:0xffffffff80001000", UNWIND_BY_TABLE);
        assert_method("record --call-graph fp -e mem:0xffffffff80001000", UNWIND_BY_FRAME_POINTER);
        assert_method("record --call-graph orc -g -e mem:0xffffffff80001000", UNWIND_BY_TABLE);
        assert_method("record -g --call-graph fp -e mem:0xffffffff80001000",
                      UNWIND_BY_FRAME_POINTER);
        assert_method("record --call-graph fp -e mem:0xffffffff80001000/call-graph=orc/",
                      UNWIND_BY_TABLE);
        assert_method("record --call-graph orc -e mem:0xffffffff80001000/call-graph=fp/",
                      UNWIND_BY_FRAME_POINTER);
    }
}

static void only_ways_that_this_kernel_has_can_be_named(void **state)
{
    (void)state;
    assert_refused("record -e mem:0xffffffff80001000 --call-graph dwarf",
                   "call-graph \"dwarf\": orc, fp and no are allowed in this kernel");
    set_kernel(true, false, UNWIND_BY_TABLE);
    assert_refused("record -e mem:0xffffffff80001000 --call-graph fp",
                   "call-graph \"fp\": orc and no are allowed in this kernel");
    assert_refused("record -e mem:0xffffffff80001000/call-graph=fp/", "orc and no are allowed");
    assert_method("record --call-graph orc -e mem:0xffffffff80001000", UNWIND_BY_TABLE);
    set_kernel(false, true, UNWIND_BY_FRAME_POINTER);
    assert_refused("record -e mem:0xffffffff80001000 --call-graph orc",
                   "call-graph \"orc\": fp and no are allowed in this kernel");
    assert_method("record --call-graph fp -e mem:0xffffffff80001000", UNWIND_BY_FRAME_POINTER);
    set_kernel(false, false, UNWIND_BY_TABLE);
    assert_refused("record -e mem:0xffffffff80001000 --call-graph orc",
                   "call-graph \"orc\": only no is allowed in this kernel");
    assert_int_equal(parse("record -e mem:0xffffffff80001000 --call-graph no"), 0);
    assert_int_equal(parse("record -e mem:0xffffffff80001000"), 0);
    assert_refused("record -e mem:0xffffffff80001000 -g", "this kernel cannot make call chains");
}

static void a_skip_holds_for_all_events_or_for_its_own(void **state)
{
    (void)state;
    assert_int_equal(
        parse("record -g --skip 126 -e mem:0xffffffff80001000,mem:0xffffffff80002000/skip=2/"), 0);
    assert_int_equal(chain_of(0)->skip, 126);
    assert_int_equal(chain_of(1)->skip, 2);
    assert_int_equal(
        parse("record -e mem:0xffffffff80001000/skip=1,call-graph=fp/,mem:0xffffffff80002000"), 0);
    assert_int_equal(chain_of(0)->skip, 1);
    assert_int_equal(attr_of(1)->sample_type, SAMPLE_ALWAYS);
    assert_int_equal(parse("record -g -e mem:0xffffffff80001000"), 0);
    assert_int_equal(chain_of(0)->skip, 0);
}

static void every_chain_is_verified_if_any_is(void **state)
{
    (void)state;
    assert_int_equal(parse("record --verify-chain -g -e "
                           "mem:0xffffffff80001000,mem:0xffffffff80002000/call-graph=orc/"),
                     0);
    assert_true(chain_of(0)->verify);
    assert_true(chain_of(1)->verify);
    assert_int_equal(parse("record --verify-chain -e "
                           "mem:0xffffffff80001000/call-graph=fp/,mem:0xffffffff80002000"),
                     0);
    assert_true(chain_of(0)->verify);
    assert_int_equal(parse("record -g -e mem:0xffffffff80001000"), 0);
    assert_false(chain_of(0)->verify);
    set_kernel(true, false, UNWIND_BY_TABLE);
    assert_refused("record --verify-chain -g -e mem:0xffffffff80001000", "UNWINDER=fp has both");
    set_kernel(false, true, UNWIND_BY_FRAME_POINTER);
    assert_refused("record --verify-chain -g -e mem:0xffffffff80001000",
                   "this kernel has no unwind table");
}

static void options_of_chains_without_a_chain_are_refused(void **state)
{
    (void)state;
    assert_refused("record --skip 2 -e mem:0xffffffff80001000", "--skip needs call chains");
    assert_refused("record --skip 2 -g -e mem:0xffffffff80001000/call-graph=no/",
                   "--skip needs call chains");
    assert_refused("record --verify-chain -e mem:0xffffffff80001000",
                   "--verify-chain needs call chains");
    assert_refused("record -e mem:0xffffffff80001000/skip=2/", "skip=2 without a call chain");
    assert_refused("stat --skip 2 -g -e mem:0xffffffff80001000", "--skip: perf stat only counts");
    assert_refused("stat --verify-chain -g -e mem:0xffffffff80001000",
                   "--verify-chain: perf stat only counts");
    assert_refused(
        "record -g -e mem:0xffffffff80001000,mem:0xffffffff80002000/skip=2,call-graph=no/",
        "skip=2 without a call chain");
}

/* --- Programs: the file /bin/load has a symbol. --- */

static const struct pitot_program *load_program(const char *path)
{
    static const struct pitot_symbols none;
    static const struct pitot_program program = {.path = "/bin/load", .symbols = &none};

    return strcmp(path, program.path) == 0 ? &program : NULL;
}

static void program_stop(void)
{
}

static const struct pitot_program *program_load(const char *path, const char **reason)
{
    *reason = "/bin/none cannot be read";
    return load_program(path);
}

static int with_programs(void **state)
{
    (void)state;
    host.program_load = program_load;
    host.program_stop = program_stop;
    return 0;
}

static void an_address_of_a_program_belongs_to_the_named_program(void **state)
{
    const struct event_spec *event = &options.recording.events[0];

    (void)state;
    assert_int_equal(parse("record -e mem:/bin/load:0x402000/8:w:u -- fs-stress"), 0);
    assert_ptr_equal(event->target.program, load_program("/bin/load"));
    assert_int_equal(event->target.pid, 0);
    assert_int_equal(event->attr.bp_addr, 0x402000);
    assert_int_equal(event->attr.bp_len, 8);
    assert_int_equal(parse("record -e mem:0x402000/8:w -- /bin/load 3"), 0);
    assert_ptr_equal(event->target.program, load_program("/bin/load"));
    assert_int_equal(parse("record -e mem:0x402000/8:w -p 17"), 0);
    assert_null(event->target.program);
    assert_int_equal(event->target.pid, 17);
    assert_int_equal(parse("stat --pid 17 -e mem:/bin/load:0x402000:x"), 0);
    assert_ptr_equal(event->target.program, load_program("/bin/load"));
    assert_int_equal(event->target.pid, 17);
    assert_int_equal(parse("record -p 17 -e mem:kernel_flag:rw,cpu-clock:u"), 0);
    assert_int_equal(event->target.pid, 0); /* of the kernel's memory, in that thread */
    assert_int_equal(event->pid, 17);
    assert_int_equal(options.recording.events[1].pid, 17);
    assert_int_equal(parse("record -e mem:0x1000:rw -p 17"), 0); /* below the programs' addresses */
    assert_int_equal(event->target.pid, 0);
}

static void what_can_have_no_hits_in_a_program_is_refused(void **state)
{
    static const struct {
        const char *line, *reason;
    } cases[] = {
        {"record -e mem:0x402000 -- fs-stress", "each program has its own memory at this address"},
        {"record -e mem:0x402000", "each program has its own memory at this address"},
        {"record -e mem:/bin/load", "must be followed by a colon and a place in it"},
        {"record -e mem:/bin/load:", "address missing at the end"},
        {"record -e mem:/bin/load:0xffffffff80001000",
         "is not an address of a program: those are from 0x"},
        {"record -e mem:/bin/load:0x402000:w:k", "with the modifier k there is never a hit"},
        {"record -e mem:kernel_flag:w:u", "with the modifier u there is never a hit"},
        {"record -e branches:u -- fs-stress", "fs-stress runs in the kernel"},
        {"record -e branches:k -- /bin/load", "its own branches are stepped: use branches:u"},
        {"record -p 17 -e branches:k", "its own branches are stepped: use branches:u"},
        {"record -e branches:u --start mem:0xffffffff80001000:x -- /bin/load", "in the kernel"},
        {"record -p 17 -e branches --start mem:0xffffffff80001000:x",
         "-p cannot be used with --start: the windows of branches"},
        {"record -e branches/window=9/ -- /bin/load", "window=: a program is stepped all the way"},
        {"record -e mem:0xffffffff80001000:w/stop/", "the term stop is for a breakpoint"},
        {"record -e cpu-clock/stop/ -- /bin/load", "the term stop is for a breakpoint"},
        {"stat -e mem:/bin/load:0x402000:w/stop/", "its terms are for samples"},
        {"record -e branches --start mem:/bin/load:0x402000:x",
         "windows open in the kernel, not in a program"},
        {"record -p 0 -e cpu-clock", "pid \"0\""},
        {"record -p me -e cpu-clock", "pid \"me\""},
        {"stat -e cpu-clock:u -- /bin/load", "perf stat counts all time"},
        {"stat -p 17 -e cpu-clock", "perf stat counts all time"},
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_refused(cases[i].line, cases[i].reason);
    assert_int_equal(parse("record -e mem:0x402000 -- /bin/none"), -ENOENT);
    assert_string_equal(why.text, "/bin/none cannot be read");
    assert_int_equal(parse("record -e mem:/bin/none:main:x"), -ENOENT);
    assert_string_equal(why.text, "/bin/none cannot be read");
    assert_int_equal(parse("record -e mem:/bin/load:main:x"), -ENOENT);
    assert_string_equal(why.text,
                        "no symbol \"main\" in /bin/load, and none with a similar spelling");
}

/*
 * With a program, branches are the program's whether stated or not; otherwise they are as stated.
 */
static void branches_beside_a_program_are_the_programs(void **state)
{
    static const struct {
        const char *line, *name;
        bool program;
    } cases[] = {
        {"record -e branches -- /bin/load", "branches:u", true},
        {"record -e branches:u -- run load", "branches:u", true},
        {"record -e branch-instructions:uk -p 17", "branches:u", true},
        {"record -a -e branches:u -- fs-stress", "branches:u", true},
        {"record -e branches -- fs-stress", "branches", false},
        {"record -e branches:k -- fs-stress", "branches:k", false},
        {"record -e branches --start mem:0xffffffff80001000:x -- /bin/load", "branches", false},
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(parse(cases[i].line), 0);
        assert_string_equal(options.recording.events[0].name, cases[i].name);
        assert_int_equal(attr_of(0)->exclude_kernel, cases[i].program);
    }
    assert_int_equal(parse("record -e mem:/bin/load:0x402000:w/stop/ -- /bin/load"), 0);
    assert_true(options.recording.events[0].stop);
    host.program_stop = NULL;
    assert_refused("record -e mem:/bin/load:0x402000:w/stop/",
                   "the term stop: program_stop of struct pitot_kernel is 0");
    host.program_stop = program_stop;
}

/* --- CPUs, and everything together. --- */

static void assert_cpus(const char *line, uint64_t mask)
{
    assert_int_equal(parse(line), 0);
    assert_int_equal(options.recording.events[0].cpus, mask);
    assert_int_equal(options.recording.events[1].cpus, mask);
}

static void cpus_are_numbers_and_ranges_for_all_events(void **state)
{
    (void)state;
    assert_cpus("record -e mem:0xffffffff80001000,cpu-clock", 0);
    assert_cpus("record -e mem:0xffffffff80001000,cpu-clock -C 0", 1);
    assert_cpus("stat -C 1,3 -e mem:0xffffffff80001000,cpu-clock", 0xa);
    assert_cpus("record --cpu 0,2-3 -e mem:0xffffffff80001000,cpu-clock", 0xd);
    assert_cpus("record -C 1 -C 2-2 -e mem:0xffffffff80001000,cpu-clock", 4);
    cpus = ARCH_CPUS_MAX;
    assert_cpus("record -C 0-63 -e mem:0xffffffff80001000,cpu-clock", UINT64_MAX);
}

static void cpus_that_are_none_are_refused_with_those_that_there_are(void **state)
{
    static const char *const wrong[] = {"4",  "-1", "1-", "2-1", "0-4",
                                        "0,", ",0", "x",  "0x1", "0;1"};
    char line[64];

    (void)state;
    for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        snprintf(line, sizeof(line), "record -C %s", wrong[i]);
        assert_refused(line, "this machine has 0 to 3");
        assert_non_null(strstr(why.text, wrong[i]));
    }
    cpus = 1;
    assert_refused("record -C 1", "this machine has only CPU 0");
    assert_refused("record -C", "-C needs a value");
    assert_refused("record -C 0 -e branches -- load", "-C: branches follows a thread");
}

static void all_threads_or_one(void **state)
{
    (void)state;
    assert_int_equal(parse("record -a --force -f -e mem:0xffffffff80001000"), 0);
    assert_int_equal(parse("stat --all-cpus -e mem:0xffffffff80001000"), 0);
    assert_refused("record -a -p 1 -e mem:0xffffffff80001000", "-a and -p cannot be combined");
    assert_refused("stat -p 7 -e mem:0xffffffff80001000 -a", "of all threads, or of one");
}

static void a_subsystem_is_all_of_its_tracepoints(void **state)
{
    (void)state;
    assert_int_equal(parse("record -e lock:"), -ENOENT);
    assert_non_null(strstr(why.text, "no tracepoint matches \"lock:*\""));
    assert_int_equal(parse("record -e lock:/period=3/"), -ENOENT);
    assert_non_null(strstr(why.text, "no tracepoint matches \"lock:*\""));
    assert_refused("record -e mem:", "address missing");
    assert_refused("record -e :", "unknown event");
}

/* The clock counts all threads' time, so one thread gets the other default events. */
static void the_default_events_suit_the_options(void **state)
{
    (void)state;
    assert_refused("stat -p 1", "-p needs an event: add -e EVENT");
    assert_refused("stat -p 1 -e cpu-clock", "cpu-clock: perf stat counts all time");
    assert_int_equal(parse("stat"), 0);
    assert_string_equal(options.recording.events[0].name, "cpu-clock");
    assert_int_equal(parse("record -p 1"), 0);
    assert_string_equal(options.recording.events[0].name, "cpu-clock");
}

static void what_only_the_real_perf_has_is_answered_with_what_to_do(void **state)
{
    (void)state;
    assert_refused("record -o file", "-o: the recording leaves by the serial port");
    assert_refused("record --output=file", "--output: the recording leaves");
    assert_refused("record -ofile", "-o: the recording leaves");
    assert_refused("stat -o file", "-o: counts are printed");
    assert_refused("record -t 3", "-t: -p takes the number of a thread, too");
    assert_refused("record -b", "-b: branches are an event here: `perf record -e branches");
    assert_refused("record -gd", "-d: each sample has its time, its CPU and its address");
    assert_refused("trace -q", "-q: it always says as much as this: leave it out");
    assert_refused("stat -d", "-d: no counter of the CPU is used");
    assert_refused("record --outputs", "unknown option \"--outputs\"; there are -e EVENT");
    assert_refused("record -e cycles:pp", "unknown event \"cycles:pp\": no counter of the CPU");
    assert_refused("record -e task-clock/period=3/", "unknown event \"task-clock\": cpu-clock is");
    assert_refused("record -e {cpu-clock,mem:kernel_flag:w}", "no groups are needed");
    assert_refused("record -e cpu-clock,mem:kern*/4:w", "* and ? stand for tracepoints, not for ");
    assert_non_null(strstr(why.text, "up to four: mem:kernel_flag/4:w"));
    assert_refused("record -e mem:q?:x", "up to four: mem:SYMBOL:x, with TAB");
    assert_refused("record -e mem:/bin/load:ma*:x", "up to four: mem:/bin/load:SYMBOL:x");
    assert_refused("record -e mem:/bin/l*", "up to four: mem:/bin/l*:SYMBOL");
}

/* slots and cs are names of perf's that the answers to unknown events mention. */
static void a_tracepoint_may_have_a_name_that_perf_uses(void **state)
{
    static const char *const lines[] = {"record -e slots:some", "record -e slots:*",
                                        "record -e slots:"};

    (void)state;
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        assert_int_equal(parse(lines[i]), 0);
        assert_string_equal(options.recording.events[0].name, "slots:some");
    }
    assert_refused("record -e slots", "unknown event \"slots\": no counter of the CPU");
    assert_refused("record -e cs:*", "unknown event \"cs:*\": it is -e sched:sched_switch here");
}

static void one_event_more_than_there_is_room_for_is_refused(void **state)
{
    char line[16 + 12 * (RECORDING_EVENTS_MAX + 1)] = "record -e cpu-clock";

    (void)state;
    for (unsigned i = 1; i < RECORDING_EVENTS_MAX; i++)
        strcat(line, ",cpu-clock");
    assert_int_equal(parse(line), 0);
    assert_int_equal(options.recording.event_count, RECORDING_EVENTS_MAX);
    assert_refused(strcat(line, ",cpu-clock"), "more than 96 events");
}

/* Whatever was parsed without a refusal must be consistent. */
static void assert_sound(int count)
{
    assert_in_range(options.recording.event_count, 1, RECORDING_EVENTS_MAX);
    for (unsigned i = 0; i < options.recording.event_count; i++) {
        uint64_t type = attr_of(i)->sample_type;

        assert_true(attr_of(i)->sample_period > 0);
        assert_int_equal(type & SAMPLE_ALWAYS, SAMPLE_ALWAYS);
        assert_int_equal(type & ~(uint64_t)(SAMPLE_ALWAYS | SAMPLE_OPTIONAL), 0);
        assert_int_equal(attr_of(i)->sample_regs_intr != 0, (type & PERF_SAMPLE_REGS_INTR) != 0);
        assert_true(options.recording.events[i].chain.skip < SAMPLE_CHAIN_MAX);
        assert_true(type & PERF_SAMPLE_CALLCHAIN || !options.recording.events[i].chain.skip);
        assert_non_null(memchr(options.recording.events[i].name, '\0', EVENT_NAME_SIZE));
    }
    assert_true(options.workload_count >= 0 && options.workload_count < count);
    assert_int_equal(options.workload != NULL, options.workload_count > 0);
}

/* Pieces of the grammar, and characters that seldom fit. */
static void add_noise(char *word, size_t size)
{
    static const char *const pieces[] = {
        "mem:",        "0x1000",      "kernel_flag", "/4",  ":rw",   "/",           ",",
        "period=",     "call-graph=", "fp",          "no",  "regs=", "yes",         "5:",
        "99999999999", "k",           "0",           "=",   "-e",    "--overwrite", "skip=",
        "orc",         "freq=",       "cpu-clock",   "max", "-F"};
    unsigned count = random_below(8);

    *word = '\0';
    for (unsigned i = 0; i < count; i++) {
        char letter[2] = {(char)(1 + random_below(255)), '\0'};
        const char *piece =
            random_below(8) ? pieces[random_below(sizeof(pieces) / sizeof(pieces[0]))] : letter;

        if (strlen(word) + strlen(piece) < size)
            strcat(word, piece);
    }
}

static void noise_is_parsed_or_refused_with_words(void **state)
{
    static const char *const starts[] = {
        "-e", "-c", "-m", "-g",     "--call-graph",  "--", "-a", "-e",
        "-g", "-a", "-e", "--skip", "--verify-chain"};
    unsigned parsed = 0;

    (void)state;
    random_begin(1);
    for (unsigned round = 0; round < 100000; round++) {
        char noise[WORDS_MOST][160], *words[WORDS_MOST];
        int count = 1 + (int)random_below(WORDS_MOST / 2), error;

        for (int i = 0; i < count; i++) {
            words[i] = noise[i];
            add_noise(noise[i], sizeof(noise[i]));
            if (random_below(2))
                strcpy(noise[i], starts[random_below(sizeof(starts) / sizeof(starts[0]))]);
            else if (random_below(2))
                strcpy(noise[i], "mem:0xffffffff80001000");
        }
        error = parse_words(words, count);
        if (error) {
            assert_true(error == -EINVAL || error == -ENOENT);
            assert_true(strlen(why.text) > 4);
            continue;
        }
        assert_sound(count);
        parsed++;
    }
    assert_true(parsed > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(one_event_gets_the_defaults, setup),
        cmocka_unit_test_setup(each_option_sets_what_it_says, setup),
        cmocka_unit_test_setup(a_frequency_is_given_for_all_events_or_for_one, setup),
        cmocka_unit_test_setup(the_most_possible_is_each_events_own, setup),
        cmocka_unit_test_setup(the_clock_keeps_a_frequency_unless_a_period_is_given, setup),
        cmocka_unit_test_setup(a_term_of_either_kind_beats_both_options, setup),
        cmocka_unit_test_setup(rates_that_cannot_be_had_are_refused_with_the_most_possible, setup),
        cmocka_unit_test_setup(counts_can_be_of_several_runs_or_of_intervals, setup),
        cmocka_unit_test_setup(branches_are_of_the_workload_or_of_what_a_breakpoint_starts, setup),
        cmocka_unit_test_setup(what_branches_have_none_of_is_the_other_events, setup),
        cmocka_unit_test_setup(a_machine_may_not_step_over_what_it_watches, setup),
        cmocka_unit_test_setup(a_ring_is_given_in_pages_or_in_bytes_with_a_unit, setup),
        cmocka_unit_test_setup(several_events_stand_between_commas_or_in_several_options, setup),
        cmocka_unit_test_setup(terms_hold_for_their_event_alone, setup),
        cmocka_unit_test_setup(a_term_beats_the_option_either_way, setup),
        cmocka_unit_test_setup(the_rest_of_the_line_is_the_workload, setup),
        cmocka_unit_test_setup(without_an_event_it_is_the_clock, setup),
        cmocka_unit_test_setup(what_is_wrong_is_named, setup),
        cmocka_unit_test_setup(numbers_that_are_none_are_refused, setup),
        cmocka_unit_test_setup(a_flag_is_a_term_in_any_place, setup),
        cmocka_unit_test_setup(terms_that_are_none_are_refused, setup),
        cmocka_unit_test_setup(chains_are_made_in_the_kernels_own_way_unless_one_is_named, setup),
        cmocka_unit_test_setup(only_ways_that_this_kernel_has_can_be_named, setup),
        cmocka_unit_test_setup(a_skip_holds_for_all_events_or_for_its_own, setup),
        cmocka_unit_test_setup(every_chain_is_verified_if_any_is, setup),
        cmocka_unit_test_setup(options_of_chains_without_a_chain_are_refused, setup),
        cmocka_unit_test_setup(an_address_of_a_program_belongs_to_the_named_program, setup),
        cmocka_unit_test_setup(what_can_have_no_hits_in_a_program_is_refused, setup),
        cmocka_unit_test_setup(branches_beside_a_program_are_the_programs, setup),
        cmocka_unit_test_setup(cpus_are_numbers_and_ranges_for_all_events, setup),
        cmocka_unit_test_setup(cpus_that_are_none_are_refused_with_those_that_there_are, setup),
        cmocka_unit_test_setup(all_threads_or_one, setup),
        cmocka_unit_test_setup(a_subsystem_is_all_of_its_tracepoints, setup),
        cmocka_unit_test_setup(the_default_events_suit_the_options, setup),
        cmocka_unit_test_setup(what_only_the_real_perf_has_is_answered_with_what_to_do, setup),
        cmocka_unit_test_setup(a_tracepoint_may_have_a_name_that_perf_uses, setup),
        cmocka_unit_test_setup(one_event_more_than_there_is_room_for_is_refused, setup),
        cmocka_unit_test_setup(noise_is_parsed_or_refused_with_words, setup),
    };

    return cmocka_run_group_tests(tests, with_programs, NULL);
}
