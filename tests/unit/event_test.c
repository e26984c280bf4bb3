/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events: which hits become samples, what the throttle suppresses and reports, how a frequency is
 * kept, samples of the clock, and the breakpoint that an event's attributes make. Counts the ring's
 * records by type; tests/unit/sample_test.c tests their contents.
 *
 * links: core/unwind/default_fp.c tests/unit/fake_arch.c tests/unit/fake_task.c tests/unit/fake_preempt.c tests/unit/no_symbols.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <linux/hw_breakpoint.h>

#include "core/breakpoint/breakpoint.h"
#include "core/event/event.h"
#include "core/event/source.h"
#include "core/event/source_branches.h"
#include "core/event/source_clock.h"
#include "core/sample/sample.h"
#include "core/symbols/symbols.h"
#include "core/task.h"
#include "kernel/time/ticks.h"
#include "tests/unit/fake_arch.h"

#define PLACE     0xffffffff80200000ull
#define RING_SIZE (1 << 18)
#define CPUS      4
#define EVENTS    6

static struct ring rings[CPUS];
static struct event events[EVENTS];
static struct event_cpu cpus[EVENTS][CPUS];
static bool enabled[EVENTS];
static struct regs regs;
static struct refusal why;

static void disable_all(void)
{
    for (unsigned i = 0; i < EVENTS; i++) {
        if (enabled[i])
            event_disable(&events[i]);
        enabled[i] = false;
    }
}

static int setup(void **state)
{
    static uint64_t memory[CPUS][RING_SIZE / 8];

    disable_all();
    memset(cpus, 0, sizeof(cpus));
    fake_arch_reset(state);
    breakpoint_init();
    fake_arch.executable = (struct fake_range){.start = PLACE, .end = PLACE + 4096};
    fake_arch.clock = 1234567890;
    regs = (struct regs){.cs = KERNEL_CODE_SELECTOR, .ip = PLACE, .flags = FLAGS_FIXED};
    for (unsigned cpu = 0; cpu < CPUS; cpu++)
        assert_int_equal(ring_init(&rings[cpu], memory[cpu], RING_SIZE, RING_NORMAL, false, NULL),
                         0);
    return 0;
}

static struct event_spec spec_of(uint64_t address, uint64_t length, uint32_t type)
{
    struct event_spec spec = {.source = &breakpoint_source,
                              .attr = {.type = PERF_TYPE_BREAKPOINT,
                                       .bp_addr = address,
                                       .bp_len = length,
                                       .bp_type = type,
                                       .sample_type = SAMPLE_ALWAYS,
                                       .sample_period = 1}};

    print_into(spec.name, sizeof(spec.name), "mem:place+%lu", (unsigned long)(address - PLACE));
    return spec;
}

/* A recorded event with a sample every `period` hits. */
static struct event *make_event(unsigned i, const struct event_spec *spec, uint64_t period)
{
    struct event *event = &events[i];

    event_init(event, spec, cpus[i]);
    event->recorded.attr.sample_period = period;
    event_begin(event, rings);
    return event;
}

static struct event *counting_event(uint64_t period, uint64_t tick_limit)
{
    struct event_spec spec = spec_of(PLACE, 8, HW_BREAKPOINT_W);
    struct event *event = make_event(0, &spec, period);

    event->tick_limit = tick_limit;
    return event;
}

static uint64_t count_of(struct event *event)
{
    event_sum(event);
    return event->recorded.count;
}

static int enable(unsigned i)
{
    int error = event_enable(&events[i], &why);

    enabled[i] = !error;
    return error;
}

static void hit(struct event *event, unsigned times)
{
    for (unsigned i = 0; i < times; i++)
        event_hit(event, PLACE, &regs);
}

/* The records of a CPU's ring, one letter each: Sample, Throttle, Unthrottle. */
static const char *records(unsigned cpu)
{
    static char letters[2048];
    struct ring_reader reader;
    uint64_t record[64];
    size_t count = 0;

    ring_reader_start(&reader, &rings[cpu]);
    while (ring_read(&reader, record, sizeof(record)) == RING_READ_RECORD) {
        uint32_t type = ((const struct perf_event_header *)record)->type;

        assert_true(count + 1 < sizeof(letters));
        letters[count++] = type == PERF_RECORD_SAMPLE     ? 'S'
                           : type == PERF_RECORD_THROTTLE ? 'T'
                                                          : 'U';
    }
    letters[count] = '\0';
    return letters;
}

static void every_nth_hit_is_a_sample_and_every_hit_is_counted(void **state)
{
    for (unsigned period = 1; period < 12; period++)
        for (unsigned hits = 0; hits < 40; hits++) {
            struct event *event;

            setup(state);
            event = counting_event(period, 0);
            hit(event, hits);
            assert_int_equal(count_of(event), hits);
            assert_int_equal(strlen(records(0)), hits / period);
        }
}

static void an_event_without_rings_only_counts(void **state)
{
    struct event *event = counting_event(1, 1);

    (void)state;
    event->rings = NULL;
    hit(event, 50);
    assert_int_equal(count_of(event), 50);
    assert_int_equal(event->cpu[0].throttled_hits, 0);
    assert_string_equal(records(0), "");
}

static void samples_go_to_the_ring_of_their_cpu(void **state)
{
    struct event *event;

    (void)state;
    fake_arch.cpus = CPUS;
    event = counting_event(1, 0);
    for (unsigned cpu = 0; cpu < CPUS; cpu++) {
        fake_arch.cpu = cpu;
        hit(event, cpu);
    }
    for (unsigned cpu = 0; cpu < CPUS; cpu++)
        assert_int_equal(strlen(records(cpu)), cpu);
    assert_int_equal(count_of(event), 0 + 1 + 2 + 3);
}

/* Each CPU has its own period and throttle. */
static void cpus_do_not_use_up_each_others_periods_and_ticks(void **state)
{
    struct event *event;

    (void)state;
    fake_arch.cpus = CPUS;
    event = counting_event(2, 3);
    for (unsigned round = 0; round < 10; round++)
        for (fake_arch.cpu = 0; fake_arch.cpu < CPUS; fake_arch.cpu++)
            hit(event, 1);
    for (unsigned cpu = 0; cpu < CPUS; cpu++)
        assert_string_equal(records(cpu), "SSST");
    assert_int_equal(count_of(event), 10 * CPUS);
    assert_int_equal(event_sum(event).throttled, 2 * CPUS);
}

static void a_sample_names_its_cpu_and_the_thread_that_runs_there(void **state)
{
    const unsigned cpu = CPUS - 1;
    const uint64_t before = task_ids[cpu];
    struct event *event;
    struct ring_reader reader;
    uint64_t record[64];

    (void)state;
    fake_arch.cpus = CPUS;
    event = counting_event(1, 0);
    fake_arch.cpu = cpu;
    task_set_ids(77);
    hit(event, 1);
    task_ids[cpu] = before;
    ring_reader_start(&reader, &rings[cpu]);
    assert_int_equal(ring_read(&reader, record, sizeof(record)), RING_READ_RECORD);
    assert_int_equal(record[3], task_ids_of(77)); /* header, id, ip, ids, time, addr, cpu */
    assert_int_equal(record[6], cpu);
}

static void a_flood_is_throttled_until_its_tick_is_over(void **state)
{
    struct event *event = counting_event(1, 3);

    (void)state;
    hit(event, 10);
    assert_string_equal(records(0), "SSST");
    assert_true(event->cpu[0].throttled);
    assert_int_equal(event->cpu[0].throttled_hits, 7);
    fake_arch.clock += THROTTLE_TICK_NS - 1;
    hit(event, 1);
    assert_string_equal(records(0), "SSST");
    fake_arch.clock += 1;
    hit(event, 5);
    assert_string_equal(records(0), "SSSTUSSST");
    assert_int_equal(event->cpu[0].throttled_hits, 7 + 1 + 2);
    assert_int_equal(count_of(event), 16);
}

static void a_rate_below_the_limit_is_never_throttled(void **state)
{
    struct event *event = counting_event(1, 3);

    (void)state;
    for (unsigned tick = 0; tick < 50; tick++) {
        hit(event, 3);
        fake_arch.clock += THROTTLE_TICK_NS;
    }
    assert_int_equal(strlen(records(0)), 150);
    assert_null(strpbrk(records(0), "TU"));
    assert_int_equal(event->cpu[0].throttled_hits, 0);
}

static void no_limit_means_no_throttle(void **state)
{
    struct event *event = counting_event(1, 0);

    (void)state;
    hit(event, 1000);
    assert_int_equal(strlen(records(0)), 1000);
    assert_null(strpbrk(records(0), "TU"));
}

/* A hit that would not become a sample does not count as throttled either. */
static void the_throttle_counts_samples_and_not_hits(void **state)
{
    struct event *event = counting_event(10, 2);

    (void)state;
    hit(event, 29);
    assert_string_equal(records(0), "SS");
    hit(event, 1);
    assert_string_equal(records(0), "SST");
    hit(event, 30);
    assert_int_equal(event->cpu[0].throttled_hits, 4);
}

/* For hits at random times: each T is followed by U, and the three counts add up. */
static void every_history_of_the_throttle_adds_up(void **state)
{
    srand(1);
    for (unsigned round = 0; round < 300; round++) {
        uint64_t samples = 0;
        struct event *event;
        char last = 'U';

        setup(state);
        event = counting_event(1, 1 + (unsigned)rand() % 4);
        for (unsigned i = 0; i < 100; i++) {
            hit(event, (unsigned)rand() % 6);
            fake_arch.clock += (uint64_t)rand() % (2 * THROTTLE_TICK_NS);
        }
        for (const char *letter = records(0); *letter; letter++) {
            samples += *letter == 'S';
            if (*letter == 'S')
                continue;
            assert_int_not_equal(*letter, last);
            last = *letter;
        }
        assert_int_equal(event->cpu[0].throttled, last == 'T');
        assert_int_equal(samples + event->cpu[0].throttled_hits, count_of(event));
    }
}

/* --- A frequency. --- */

static struct event *paced_event(uint64_t hertz, uint64_t tick_limit)
{
    struct event_spec spec = spec_of(PLACE, 8, HW_BREAKPOINT_W);

    spec.attr.freq = 1;
    spec.attr.sample_freq = hertz;
    spec.attr.sample_type |= PERF_SAMPLE_PERIOD;
    event_init(&events[0], &spec, cpus[0]);
    events[0].tick_limit = tick_limit;
    enabled[0] = event_enable(&events[0], &why) == 0;
    assert_true(enabled[0]);
    event_begin(&events[0], rings);
    return &events[0];
}

/* A hit every `step` ns for `duration`, and a tick every hundredth of a second. */
static void hit_for(struct event *event, uint64_t duration, uint64_t step)
{
    uint64_t end = fake_arch.clock + duration, tick = fake_arch.clock;

    for (; fake_arch.clock < end; fake_arch.clock += step) {
        for (; tick <= fake_arch.clock; tick += THROTTLE_TICK_NS)
            event_tick();
        hit(event, 1);
    }
}

#define RECORD_PERIOD 7 /* the word after header and SAMPLE_ALWAYS */

/* The ring's samples, and the hits that they represent. */
static struct sum {
    uint64_t samples, weight;
} sum_samples(void)
{
    struct ring_reader reader;
    struct sum sum = {0};
    uint64_t record[64];

    ring_reader_start(&reader, &rings[0]);
    while (ring_read(&reader, record, sizeof(record)) == RING_READ_RECORD) {
        if (((const struct perf_event_header *)record)->type != PERF_RECORD_SAMPLE)
            continue;
        sum.samples++;
        sum.weight += record[RECORD_PERIOD];
    }
    return sum;
}

static void an_event_keeps_its_frequency_by_its_period(void **state)
{
    static const uint64_t tick_limits[] = {0, 10000};

    for (unsigned i = 0; i < sizeof(tick_limits) / sizeof(tick_limits[0]); i++) {
        struct event *event;
        struct sum sum;

        setup(state);
        event = paced_event(1000, tick_limits[i]);
        hit_for(event, 500000000, 2000);
        sum = sum_samples();
        assert_in_range(sum.samples, 480, 540);
        assert_int_equal(count_of(event), 250000);
        assert_int_equal(sum.weight + event->cpu[0].pace.period - event->cpu[0].period_left,
                         250000);
        assert_in_range(event->cpu[0].pace.period, 450, 550);
    }
}

static void a_tick_shortens_a_period_that_takes_too_long(void **state)
{
    struct event *event = paced_event(1000, 0);
    uint64_t samples;

    (void)state;
    hit_for(event, 100000000, 1000);
    samples = strlen(records(0));
    assert_in_range(event->cpu[0].period_left, 100, 1100);
    fake_arch.clock += 2 * THROTTLE_TICK_NS;
    hit(event, 1);
    assert_int_equal(strlen(records(0)), samples);
    event_tick();
    hit(event, 1);
    assert_int_equal(strlen(records(0)), samples + 1);
}

/* Other events have their own periods; a disabled event has no period to adapt. */
static void a_tick_looks_after_enabled_events_with_a_frequency_only(void **state)
{
    struct event_spec spec = spec_of(PLACE + 8, 8, HW_BREAKPOINT_W);
    struct event *paced = paced_event(1000, 0), *plain;

    (void)state;
    plain = make_event(1, &spec, 5000);
    assert_int_equal(enable(1), 0);
    hit_for(paced, 100000000, 1000);
    disable_all();
    fake_arch.clock += 2 * THROTTLE_TICK_NS;
    paced->cpu[0].period_left = paced->cpu[0].pace.period = 77;
    event_tick();
    assert_int_equal(paced->cpu[0].period_left, 77);
    assert_int_equal(plain->cpu[0].period_left, 5000);
}

static void a_frequency_is_throttled_like_any_event(void **state)
{
    struct event *event = paced_event(100000, 5); /* 500 per second */

    (void)state;
    hit_for(event, 100000000, 2000);
    assert_in_range(strlen(records(0)), 50, 80); /* including the throttle's own records */
    assert_non_null(strstr(records(0), "SSSSSTUSSSSST"));
    assert_true(event->cpu[0].throttled_hits > 0);
}

/* --- The clock. --- */

static unsigned timer_rate; /* interrupts per second */

static const struct event_clock_timer timer = {ticks_quicken, ticks_slow_down, TICKS_A_SECOND};

static void set_timer_rate(unsigned hertz)
{
    assert_true(fake_arch.irqs_off);
    timer_rate = hertz;
}

static struct event *clock_event(unsigned i, uint64_t hertz, uint64_t period)
{
    struct event_spec spec = {.source = &clock_source,
                              .attr = {.type = PERF_TYPE_SOFTWARE,
                                       .config = PERF_COUNT_SW_CPU_CLOCK,
                                       .sample_type = SAMPLE_ALWAYS | PERF_SAMPLE_PERIOD,
                                       .freq = hertz > 0},
                              .name = "cpu-clock"};

    if (hertz)
        spec.attr.sample_freq = hertz;
    else
        spec.attr.sample_period = period;
    event_clock_set_timer(&timer);
    ticks_start(set_timer_rate);
    event_init(&events[i], &spec, cpus[i]);
    assert_int_equal(enable(i), 0);
    event_begin(&events[i], rings);
    return &events[i];
}

/* Runs `count` interrupts, `step` ns apart. */
static void interrupts(unsigned count, uint64_t step)
{
    while (count-- > 0) {
        fake_arch.clock += step;
        event_clock_interrupt(&regs, fake_arch.clock);
    }
}

static void the_clock_counts_the_time_while_it_is_enabled(void **state)
{
    struct event *event = clock_event(0, 0, 100000000);

    (void)state;
    event_begin(event, NULL);
    interrupts(3, 7777);
    assert_int_equal(count_of(event), 3 * 7777);
    fake_arch.clock += 123;
    disable_all();
    assert_int_equal(count_of(event), 3 * 7777 + 123);
    interrupts(3, 7777);
    assert_int_equal(count_of(event), 3 * 7777 + 123);
    assert_string_equal(records(0), "");
}

static void a_sample_of_the_clock_is_what_was_interrupted_and_how_long_it_took(void **state)
{
    struct event *event = clock_event(0, 0, 1000000);
    struct ring_reader reader;
    uint64_t record[64], start = fake_arch.clock;

    (void)state;
    interrupts(3, 300000);
    assert_string_equal(records(0), "");
    interrupts(1, 355555); /* the first one after the due time, and late */
    ring_reader_start(&reader, &rings[0]);
    assert_int_equal(ring_read(&reader, record, sizeof(record)), RING_READ_RECORD);
    assert_int_equal(record[1], event->recorded.id);
    assert_int_equal(record[2], PLACE);
    assert_int_equal(record[5], 0);
    assert_int_equal(record[RECORD_PERIOD], fake_arch.clock - start);
}

/*
 * Each due time is counted from the previous due time: a late sample shortens the wait for the next
 * one.
 */
static void late_interrupts_do_not_shift_the_samples_after_them(void **state)
{
    clock_event(0, 1000, 0);
    (void)state;
    for (unsigned i = 0; i < 1000; i++) {
        interrupts(1, 1000000 + 40000);
        interrupts(1, 1000000 - 40000);
    }
    assert_in_range(sum_samples().samples, 1998, 2000);
}

static void time_that_passed_unseen_is_in_one_sample(void **state)
{
    struct sum sum;

    (void)state;
    clock_event(0, 100, 0);
    interrupts(50, 1000000);
    interrupts(1, 5000000000);
    interrupts(50, 1000000);
    sum = sum_samples();
    assert_int_equal(sum.samples, 11);
    assert_int_equal(sum.weight, 5100000000);
}

static void time_that_the_throttle_held_back_is_in_the_next_sample(void **state)
{
    struct event *event = clock_event(0, 10000, 0);
    uint64_t start = fake_arch.clock, weight;

    (void)state;
    event->tick_limit = 2;
    interrupts(200, 100000); /* two ticks of the throttle, with two samples in each */
    assert_string_equal(records(0), "SSTUSST");
    weight = sum_samples().weight;
    assert_int_equal(weight, event->cpu[0].sampled - start);
    assert_in_range(weight, 10000000, 10400000);
}

/*
 * Runs `count` interrupts, `apart` ns from the end of one to the next, each with a sample that
 * takes `took`.
 */
static void costly_interrupts(unsigned count, uint64_t apart, uint64_t took)
{
    while (count-- > 0) {
        uint64_t began = fake_arch.clock += apart;

        fake_arch.clock += took;
        fake_arch.irqs_off = true;
        event_clock_interrupt(&regs, began);
        fake_arch.irqs_off = false;
    }
}

/*
 * The rate falls until a sample takes no more than a third of the time between two, but not below
 * the rate of ticks, which are needed.
 */
static void samples_leave_the_work_the_greater_part_of_the_time(void **state)
{
    (void)state;
    clock_event(0, 4000, 0);
    costly_interrupts(300, 180000, 70000);
    assert_int_equal(timer_rate, 4000);
    assert_int_equal(event_clock_slowed().hertz, 0);
    costly_interrupts(300, 1000, 150000);
    assert_int_equal(timer_rate, 2000);
    assert_int_equal(event_clock_slowed().hertz, 2000);
    assert_int_equal(event_clock_slowed().took, 150000);
    costly_interrupts(300, 1000, 250000);
    assert_int_equal(timer_rate, 1000);
    costly_interrupts(300, 1000, 8000000);
    assert_int_equal(timer_rate, TICKS_A_SECOND);
    assert_non_null(strchr(records(0), 'T'));
    event_begin(&events[0], rings); /* measured again */
    assert_int_equal(timer_rate, 4000);
    assert_int_equal(event_clock_slowed().hertz, 0);
}

/* The machine is delayed in one of four samples: its clock keeps its rate. */
static void samples_that_take_long_now_and_then_do_not_slow_down_the_clock(void **state)
{
    (void)state;
    clock_event(0, 4000, 0);
    for (unsigned i = 0; i < 300; i++) {
        costly_interrupts(3, 200000, 10000);
        costly_interrupts(1, 200000, 50000000);
    }
    assert_int_equal(timer_rate, 4000);
    assert_null(strchr(records(0), 'T'));
}

static void the_timer_is_as_quick_as_the_quickest_needs_and_then_as_before(void **state)
{
    (void)state;
    clock_event(0, 50, 0);
    assert_int_equal(timer_rate, TICKS_A_SECOND);
    clock_event(1, 1000, 0);
    assert_int_equal(timer_rate, 1000);
    clock_event(2, 0, 333333);
    assert_int_equal(timer_rate, 3100);
    event_begin(clock_event(3, EVENT_CLOCK_HERTZ_MAX, 0), NULL); /* only counts */
    assert_int_equal(timer_rate, 3100);
    event_begin(&events[3], rings);
    assert_int_equal(timer_rate, EVENT_CLOCK_HERTZ_MAX);
    event_disable(&events[3]);
    enabled[3] = false;
    assert_int_equal(timer_rate, 3100);
    disable_all();
    assert_int_equal(timer_rate, TICKS_A_SECOND);
}

/* Even if the timer is faster, and some of its interrupts are lost. */
static void ticks_stay_a_hundredth_of_a_second_apart(void **state)
{
    unsigned counted = 0;

    (void)state;
    assert_true(ticks_due() && ticks_due());
    clock_event(0, 1000, 0);
    for (unsigned i = 0; i < 1000; i++) { /* a second, in milliseconds */
        fake_arch.clock += 1000000;
        if (i % 7 != 3)
            counted += ticks_due();
    }
    assert_in_range(counted, 99, 100);
    fake_arch.clock += 5 * TICK_NS;
    assert_true(ticks_due());
    assert_false(ticks_due());
    disable_all();
    assert_true(ticks_due() && ticks_due());
}

/* In a kernel that has no such thread, or none yet, all code may run as pid 0. */
static void without_a_streams_thread_no_thread_is_taken_for_it(void **state)
{
    const uint64_t before = task_ids[0];

    (void)state;
    counting_event(1, 0);
    task_ids[0] = task_ids_of(0);
    hit(&events[0], 3);
    task_ids[0] = before;
    assert_int_equal(events[0].cpu[0].drained_hits, 0);
    assert_string_equal(records(0), "SSS");
}

static void what_the_streams_thread_raises_is_counted_only(void **state)
{
    struct event *event = counting_event(2, 0);

    (void)state;
    event_set_drain(TASK_PID); /* it runs now */
    hit(event, 3);
    assert_int_equal(count_of(event), 3);
    assert_int_equal(event->cpu[0].drained_hits, 3);
    assert_int_equal(event->cpu[0].period_left, 2); /* samples represent other threads' hits */
    fake_arch.interrupted = true;                   /* the thread does not cause interrupts */
    hit(event, 2);
    assert_int_equal(event->cpu[0].drained_hits, 3);
    assert_string_equal(records(0), "S");
    event_set_drain(TASK_PID + 1);
    fake_arch.interrupted = false;
    hit(event, 2);
    assert_int_equal(event->cpu[0].drained_hits, 3);
    assert_string_equal(records(0), "SS");
    event_set_drain(UINT32_MAX); /* no event has this number */
}

static const struct event *triggered;

static void note_trigger(const struct sample_plan *plan)
{
    triggered = event_of_plan(plan);
    for (unsigned i = 0; i < 2; i++)
        events[i].rings = NULL; /* like core/recording/recording.c */
}

static void a_trigger_is_told_after_its_sample(void **state)
{
    struct event_spec spec = spec_of(PLACE, 8, HW_BREAKPOINT_W);
    struct event *other = make_event(1, &spec, 1), *event;

    (void)state;
    spec.trigger = true;
    event = make_event(0, &spec, 2);
    assert_true(event->spec.trigger);
    assert_false(other->spec.trigger);
    sample_plan_call(&event->plan, note_trigger);
    triggered = NULL;
    hit(event, 1);
    assert_null(triggered);
    hit(event, 1);
    assert_ptr_equal(triggered, event);
    hit(event, 2);
    hit(other, 2);
    assert_string_equal(records(0), "S");
    assert_int_equal(count_of(event), 4); /* they continue to count */
    assert_int_equal(count_of(other), 2);
}

static void each_event_has_an_id_of_its_own(void **state)
{
    struct event_spec spec = spec_of(PLACE, 8, HW_BREAKPOINT_W);

    (void)state;
    for (unsigned i = 0; i < EVENTS; i++) {
        make_event(i, &spec, 1);
        assert_string_equal(events[i].recorded.name, spec.name);
        for (unsigned other = 0; other < i; other++)
            assert_int_not_equal(events[i].recorded.id, events[other].recorded.id);
    }
}

static void an_event_takes_how_its_chains_are_made_from_its_spec(void **state)
{
    struct event_spec spec = spec_of(PLACE, 8, HW_BREAKPOINT_W);

    (void)state;
    spec.chain =
        (struct sample_chain){.method = UNWIND_BY_FRAME_POINTER, .skip = 3, .verify = true};
    make_event(0, &spec, 1);
    assert_int_equal(events[0].plan.chain.method, UNWIND_BY_FRAME_POINTER);
    assert_int_equal(events[0].plan.chain.skip, 3);
    assert_true(events[0].plan.chain.verify);
    spec.chain = (struct sample_chain){.method = UNWIND_BY_TABLE};
    make_event(0, &spec, 1);
    assert_int_equal(events[0].plan.chain.method, UNWIND_BY_TABLE);
    assert_int_equal(events[0].plan.chain.skip, 0);
    assert_false(events[0].plan.chain.verify);
}

static void attributes_become_the_watch_that_they_mean(void **state)
{
    static const struct {
        uint32_t type;
        uint64_t length;
        enum arch_access access;
        unsigned armed_length;
    } cases[] = {
        {HW_BREAKPOINT_W, 1, ARCH_WRITE, 1},       {HW_BREAKPOINT_W, 8, ARCH_WRITE, 8},
        {HW_BREAKPOINT_RW, 4, ARCH_READ_WRITE, 4}, {HW_BREAKPOINT_X, 1, ARCH_EXECUTE, 1},
        {HW_BREAKPOINT_X, 8, ARCH_EXECUTE, 1}, /* as perf encodes it */
    };

    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct event_spec spec = spec_of(PLACE + 8, cases[i].length, cases[i].type);

        setup(state);
        make_event(0, &spec, 1);
        assert_int_equal(enable(0), 0);
        assert_int_equal(fake_arch.watch_count, 1);
        assert_int_equal(fake_arch.watches[0].address, PLACE + 8);
        assert_int_equal(fake_arch.watches[0].access, cases[i].access);
        assert_int_equal(fake_arch.watches[0].length, cases[i].armed_length);
    }
}

static void a_hit_of_the_watch_is_a_sample_of_the_event(void **state)
{
    struct event_spec spec = spec_of(PLACE, 4, HW_BREAKPOINT_W);
    uint64_t record[64];
    struct ring_reader reader;

    (void)state;
    make_event(0, &spec, 1);
    make_event(1, &spec, 2);
    assert_int_equal(enable(0), 0);
    assert_int_equal(enable(1), 0);
    fake_arch_access(PLACE + 2, 1, ARCH_WRITE, FAKE_REPORT_LOWEST, &regs);
    ring_reader_start(&reader, &rings[0]);
    assert_int_equal(ring_read(&reader, record, sizeof(record)), RING_READ_RECORD);
    assert_int_equal(record[1], events[0].recorded.id);
    assert_int_equal(record[5], PLACE); /* the register's address */
    fake_arch_access(PLACE, 4, ARCH_WRITE, FAKE_REPORT_LOWEST, &regs);
    assert_string_equal(records(0), "SSS");
    assert_int_equal(count_of(&events[0]), 2);
    assert_int_equal(count_of(&events[1]), 2);
}

static void a_disabled_event_hears_nothing_and_frees_its_register(void **state)
{
    struct event_spec spec = spec_of(PLACE, 4, HW_BREAKPOINT_W);

    (void)state;
    make_event(0, &spec, 1);
    assert_int_equal(enable(0), 0);
    disable_all();
    assert_int_equal(breakpoint_used(), 0);
    fake_arch_access(PLACE, 4, ARCH_WRITE, FAKE_REPORT_ALL, &regs);
    assert_int_equal(count_of(&events[0]), 0);
}

static void a_refusal_of_the_arbiter_is_passed_on_and_names_events(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 5; i++) {
        struct event_spec spec = spec_of(PLACE + 8 * i, 8, HW_BREAKPOINT_W);

        make_event(i, &spec, 1);
        assert_int_equal(enable(i), i < 4 ? 0 : -ENOSPC);
    }
    assert_non_null(strstr(why.text, "perf mem:place+16"));
}

/* Hits in the kernel and in a program; an event that names no mode gets both. */
static void hits_in_the_mode_that_is_not_meant_are_not_counted(void **state)
{
    struct regs user = {.ip = 0x401000, .cs = USER_CODE_SELECTOR, .flags = FLAGS_FIXED};
    struct regs kernel = {.ip = PLACE, .cs = KERNEL_CODE_SELECTOR, .flags = FLAGS_FIXED};

    (void)state;
    for (unsigned mode = 0; mode < 4; mode++) {
        struct event_spec spec = spec_of(PLACE, 8, HW_BREAKPOINT_W);
        struct event *event;

        spec.attr.exclude_kernel = mode & 1;
        spec.attr.exclude_user = mode >> 1;
        event = make_event(0, &spec, 1);
        event_hit(event, PLACE, &user);
        assert_int_equal(count_of(event), !(mode >> 1));
        event_hit(event, PLACE, &kernel);
        assert_int_equal(count_of(event), !(mode >> 1) + !(mode & 1));
    }
}

static void hits_of_other_threads_are_not_counted(void **state)
{
    struct event_spec spec = spec_of(PLACE, 8, HW_BREAKPOINT_W);
    struct regs kernel = {.ip = PLACE, .cs = KERNEL_CODE_SELECTOR, .flags = FLAGS_FIXED};

    struct event *event;

    (void)state;
    for (unsigned other = 0; other < 2; other++) {
        spec.pid = TASK_PID + other;
        event = make_event(0, &spec, 1);
        event_hit(event, PLACE, &kernel);
        assert_int_equal(count_of(event), !other);
    }
}

static void hits_on_other_cpus_are_not_counted(void **state)
{
    struct event_spec spec = spec_of(PLACE, 8, HW_BREAKPOINT_W);
    struct regs kernel = {.ip = PLACE, .cs = KERNEL_CODE_SELECTOR, .flags = FLAGS_FIXED};
    struct event *event;

    (void)state;
    fake_arch.cpus = CPUS;
    spec.cpus = 1 | 1ull << (CPUS - 1);
    event = make_event(0, &spec, 1);
    for (fake_arch.cpu = 0; fake_arch.cpu < CPUS; fake_arch.cpu++)
        event_hit(event, PLACE, &kernel);
    assert_int_equal(count_of(event), 2);
    assert_int_equal(event->cpu[0].count, 1);
    assert_int_equal(event->cpu[CPUS - 1].count, 1);
}

static void what_is_left_out_as_no_hit_of_the_workloads_is_accounted_for(void **state)
{
    struct event_spec spec = spec_of(PLACE, 8, HW_BREAKPOINT_W);
    struct regs kernel = {.ip = PLACE, .cs = KERNEL_CODE_SELECTOR, .flags = FLAGS_FIXED};
    struct event *event;

    (void)state;
    spec.followed = true;
    event = make_event(0, &spec, 1);
    for (unsigned i = 0; i < 9; i++) {
        task_followed[0] = i % 3 == 0;
        event_hit(event, PLACE, &kernel);
    }
    task_followed[0] = false;
    assert_int_equal(count_of(event), 3);
    assert_int_equal(event_sum(event).foreign, 6);
}

/* Other threads' time passes as well. */
static void a_followed_clock_counts_the_workloads_time(void **state)
{
    struct event *event = clock_event(0, 0, 100000000);

    (void)state;
    event->spec.followed = true;
    event_begin(event, NULL);
    interrupts(3, 7777);
    pitot_follow(0, 0x100, fake_arch.clock); /* a kernel's flag, reported at each switch */
    interrupts(1, 250);
    pitot_follow(0, 0x100, fake_arch.clock);
    interrupts(1, 250);
    pitot_follow(0, false, fake_arch.clock);
    interrupts(3, 7777);
    assert_int_equal(count_of(event), 500);
    pitot_follow(0, true, fake_arch.clock);
    fake_arch.clock += 11;
    disable_all();
    pitot_follow(0, false, fake_arch.clock);
    assert_int_equal(count_of(event), 511);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(every_nth_hit_is_a_sample_and_every_hit_is_counted, setup),
        cmocka_unit_test_setup(an_event_without_rings_only_counts, setup),
        cmocka_unit_test_setup(samples_go_to_the_ring_of_their_cpu, setup),
        cmocka_unit_test_setup(cpus_do_not_use_up_each_others_periods_and_ticks, setup),
        cmocka_unit_test_setup(a_sample_names_its_cpu_and_the_thread_that_runs_there, setup),
        cmocka_unit_test_setup(a_flood_is_throttled_until_its_tick_is_over, setup),
        cmocka_unit_test_setup(a_rate_below_the_limit_is_never_throttled, setup),
        cmocka_unit_test_setup(no_limit_means_no_throttle, setup),
        cmocka_unit_test_setup(the_throttle_counts_samples_and_not_hits, setup),
        cmocka_unit_test_setup(every_history_of_the_throttle_adds_up, setup),
        cmocka_unit_test_setup(an_event_keeps_its_frequency_by_its_period, setup),
        cmocka_unit_test_setup(a_tick_shortens_a_period_that_takes_too_long, setup),
        cmocka_unit_test_setup(a_tick_looks_after_enabled_events_with_a_frequency_only, setup),
        cmocka_unit_test_setup(a_frequency_is_throttled_like_any_event, setup),
        cmocka_unit_test_setup(the_clock_counts_the_time_while_it_is_enabled, setup),
        cmocka_unit_test_setup(a_sample_of_the_clock_is_what_was_interrupted_and_how_long_it_took,
                               setup),
        cmocka_unit_test_setup(late_interrupts_do_not_shift_the_samples_after_them, setup),
        cmocka_unit_test_setup(time_that_passed_unseen_is_in_one_sample, setup),
        cmocka_unit_test_setup(time_that_the_throttle_held_back_is_in_the_next_sample, setup),
        cmocka_unit_test_setup(samples_leave_the_work_the_greater_part_of_the_time, setup),
        cmocka_unit_test_setup(samples_that_take_long_now_and_then_do_not_slow_down_the_clock,
                               setup),
        cmocka_unit_test_setup(the_timer_is_as_quick_as_the_quickest_needs_and_then_as_before,
                               setup),
        cmocka_unit_test_setup(ticks_stay_a_hundredth_of_a_second_apart, setup),
        cmocka_unit_test_setup(without_a_streams_thread_no_thread_is_taken_for_it, setup),
        cmocka_unit_test_setup(what_the_streams_thread_raises_is_counted_only, setup),
        cmocka_unit_test_setup(a_trigger_is_told_after_its_sample, setup),
        cmocka_unit_test_setup(each_event_has_an_id_of_its_own, setup),
        cmocka_unit_test_setup(an_event_takes_how_its_chains_are_made_from_its_spec, setup),
        cmocka_unit_test_setup(attributes_become_the_watch_that_they_mean, setup),
        cmocka_unit_test_setup(a_hit_of_the_watch_is_a_sample_of_the_event, setup),
        cmocka_unit_test_setup(a_disabled_event_hears_nothing_and_frees_its_register, setup),
        cmocka_unit_test_setup(a_refusal_of_the_arbiter_is_passed_on_and_names_events, setup),
        cmocka_unit_test_setup(hits_in_the_mode_that_is_not_meant_are_not_counted, setup),
        cmocka_unit_test_setup(hits_of_other_threads_are_not_counted, setup),
        cmocka_unit_test_setup(hits_on_other_cpus_are_not_counted, setup),
        cmocka_unit_test_setup(what_is_left_out_as_no_hit_of_the_workloads_is_accounted_for, setup),
        cmocka_unit_test_setup(a_followed_clock_counts_the_workloads_time, setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
