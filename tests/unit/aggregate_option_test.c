/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --by, --hist, --from and --to: what each does to its events, and each refusal with its advice.
 *
 * links: tests/unit/fake_events.c tests/unit/fake_task.c tests/unit/fake_cpu.c tests/unit/fake_preempt.c tests/unit/no_symbols.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arch/step.h"
#include "core/perf/options.h"

PITOT_TRACEPOINT(test, some, 3, PITOT_FIELD(pointer, address, "address=%p"),
                 PITOT_FIELD(s32, left, " left=%d"), PITOT_FIELD(text, name, " name=%s"));
PITOT_TRACEPOINT(test, other, 1, PITOT_FIELD(u64, size, "size=%lu"));

static struct event_spec events[2];
static struct refusal why;
static bool unwinds;

bool unwind_possible(enum unwind_method method)
{
    (void)method;
    return unwinds;
}

enum unwind_method unwind_default(void)
{
    return UNWIND_BY_TABLE;
}

unsigned arch_cpus(void)
{
    return 1;
}

bool arch_step_excludes_watches(void)
{
    return false;
}

static int setup(void **state)
{
    (void)state;
    unwinds = true;
    memset(events, 0, sizeof(events));
    return 0;
}

static int option(const char *event, const char *name, const char *value)
{
    assert_int_equal(event_spec_parse(event, &events[0], &why), 0);
    return aggregate_option_parse(events, 1, name, value, &why);
}

static void assert_refused(const char *event, const char *name, const char *value,
                           const char *reason)
{
    assert_int_equal(option(event, name, value), -EINVAL);
    assert_string_equal(why.text, reason);
}

#define WATCH "mem:0xffffffff80001000:w"

static void each_word_is_a_key(void **state)
{
    (void)state;
    assert_false(aggregate_is_wanted(&events[0].aggregate));
    assert_int_equal(option("test:some", "--by", "comm"), 0);
    assert_int_equal(events[0].aggregate.by, AGGREGATE_BY_COMM);
    assert_true(aggregate_is_wanted(&events[0].aggregate));
    assert_int_equal(option(WATCH, "--by", "cpu"), 0);
    assert_int_equal(events[0].aggregate.by, AGGREGATE_BY_CPU);
    assert_int_equal(option(WATCH, "--by", "caller"), 0);
    assert_int_equal(events[0].aggregate.by, AGGREGATE_BY_CALLER);
    assert_int_equal(option("test:some", "--by", "left"), 0);
    assert_int_equal(events[0].aggregate.by, AGGREGATE_BY_FIELD);
    assert_int_equal(events[0].aggregate.key.place, 1);
    assert_int_equal(option("test:some", "--by", "name"), 0);
    assert_true(field_is_text(&events[0].aggregate.key));
    assert_int_equal(option("test:some", "--by", "common_pid"), 0);
    assert_int_equal(events[0].aggregate.key.source, FIELD_HEAD);
}

static void a_histogram_is_of_a_number(void **state)
{
    (void)state;
    assert_int_equal(option("test:some", "--hist", "left"), 0);
    assert_string_equal(events[0].aggregate.value_field->name, "left");
    assert_int_equal(events[0].aggregate.by, AGGREGATE_BY_NOTHING);
    assert_true(aggregate_is_wanted(&events[0].aggregate));
    assert_int_equal(aggregate_option_parse(events, 1, "--by", "cpu", &why), 0);
    assert_non_null(events[0].aggregate.value_field);
    assert_refused("test:some", "--hist", "name",
                   "--hist: name is a string; --by name counts hits per value");
    assert_refused("test:some", "--hist", "comm",
                   "--hist: comm is a string; --by comm counts hits per value");
}

static void what_there_is_not_is_refused_with_what_there_is(void **state)
{
    (void)state;
    assert_refused("test:some", "--hist", "size",
                   "--hist: test:some has no field \"size\"; there are address, left, name, "
                   "common_*");
    assert_refused("test:some", "--by", "",
                   "--by: test:some has no field \"\"; there are comm, cpu, caller, address, left, "
                   "name, common_*");
    assert_refused(WATCH, "--hist", "new",
                   "--hist new: " WATCH
                   " is not a tracepoint and has no fields; its hits have fields: -e " WATCH
                   " -e breakpoint:hit --hist new");
    assert_refused(WATCH, "--by", "new",
                   "--by new: " WATCH " is not a tracepoint and has no fields, only comm, cpu and "
                   "caller; its hits have fields: -e " WATCH " -e breakpoint:hit --by new");
    assert_refused("cpu-clock", "--by", "comm",
                   "--by: cpu-clock is neither a tracepoint nor a breakpoint; only their hits "
                   "can be grouped");
    assert_refused("branches", "--by", "comm",
                   "--by: branches is neither a tracepoint nor a breakpoint; only their hits "
                   "can be grouped");
    unwinds = false;
    assert_refused(WATCH, "--by", "caller",
                   "--by caller: this kernel cannot make call chains; a message at boot says why");
}

static void it_is_for_all_events_of_the_e_before(void **state)
{
    (void)state;
    assert_int_equal(aggregate_option_parse(events, 0, "--by", "cpu", &why), -EINVAL);
    assert_string_equal(why.text, "--by must come after the -e EVENT that it is for");
    assert_int_equal(event_spec_parse("test:some", &events[0], &why), 0);
    assert_int_equal(event_spec_parse("test:other", &events[1], &why), 0);
    assert_int_equal(aggregate_option_parse(events, 2, "--by", "cpu", &why), 0);
    assert_int_equal(events[0].aggregate.by, AGGREGATE_BY_CPU);
    assert_int_equal(events[1].aggregate.by, AGGREGATE_BY_CPU);
    assert_int_equal(aggregate_option_parse(events, 2, "--hist", "left", &why), -EINVAL);
    assert_string_equal(why.text,
                        "--hist: test:other has no field \"left\"; there are size, common_*");
    assert_int_equal(event_spec_parse(WATCH, &events[0], &why), 0);
    events[0].start = true;
    assert_int_equal(aggregate_option_parse(events, 1, "--by", "cpu", &why), -EINVAL);
    assert_string_equal(why.text, "--by: " WATCH
                                  " opens windows; to group its hits, give it with -e as well");
}

static int spans(const char *from, const char *to, const char *key)
{
    memset(events, 0, sizeof(events));
    if (from) {
        assert_int_equal(event_spec_parse(from, &events[0], &why), 0);
        assert_int_equal(span_option_mark(&events[0], 1, "--from", &why), 0);
    }
    if (to) {
        assert_int_equal(event_spec_parse(to, &events[1], &why), 0);
        assert_int_equal(span_option_mark(&events[1], 1, "--to", &why), 0);
    }
    return span_options_choose(events, 2, key, &why);
}

static void assert_no_spans(const char *from, const char *to, const char *key, const char *reason)
{
    assert_int_equal(spans(from, to, key), -EINVAL);
    assert_string_equal(why.text, reason);
}

static void two_events_are_a_span(void **state)
{
    (void)state;
    assert_int_equal(spans("test:some", "test:other", NULL), 0); /* no pointer field in common */
    assert_null(events[0].aggregate.span_field);
    assert_int_equal(spans("test:some", "test:some", NULL), 0);
    assert_string_equal(events[0].aggregate.span_field->name, "address");
    assert_string_equal(events[1].aggregate.span_field->name, "address");
    assert_int_equal(spans("test:some", "test:some", "left"), 0);
    assert_int_equal(events[1].aggregate.span.place, 1);
    assert_int_equal(spans("test:some", "test:other", "common_pid"), 0);
    assert_int_equal(spans(WATCH, "test:other", NULL), 0);
    assert_null(events[1].aggregate.span_field);
    assert_int_equal(spans(NULL, NULL, NULL), 0);
    assert_int_equal(spans("test:some", "test:some", NULL), 0);
    assert_int_equal(aggregate_option_parse(&events[1], 1, "--by", "name", &why), 0);
}

static void a_span_without_an_end_is_refused(void **state)
{
    (void)state;
    assert_no_spans("test:some", NULL, NULL,
                    "--from test:some: add --to EVENT, where the time ends");
    assert_no_spans(NULL, "test:some", NULL,
                    "--to test:some: add --from EVENT, where the time begins");
    assert_no_spans(NULL, NULL, "left", "--key needs --from EVENT and --to EVENT");
    assert_no_spans("test:some", "test:other", "left",
                    "--key: test:other has no field \"left\"; there are size, common_*");
    assert_no_spans("test:some", "test:some", "name",
                    "--key: name is a string; a key must be a number or a pointer");
    assert_no_spans(WATCH, "test:some", "left",
                    "--key: " WATCH " has no fields; leave --key out to match hits by thread");
    assert_int_equal(spans("test:some", "test:other", NULL), 0);
    assert_int_equal(aggregate_option_parse(&events[0], 1, "--by", "cpu", &why), -EINVAL);
    assert_string_equal(why.text, "--by: test:some begins spans; --by must come after --to EVENT");
    assert_int_equal(aggregate_option_parse(&events[1], 1, "--hist", "size", &why), -EINVAL);
    assert_string_equal(why.text,
                        "--hist: test:other ends spans, and their histogram is always of times");
    assert_int_equal(span_option_mark(events, 2, "--to", &why), -EINVAL);
    assert_string_equal(why.text, "--to: one event is allowed, not the 2 from test:some on");
    assert_int_equal(event_spec_parse("cpu-clock", &events[0], &why), 0);
    assert_int_equal(span_option_mark(events, 1, "--to", &why), -EINVAL);
    assert_string_equal(why.text, "--to: cpu-clock is neither a tracepoint nor a breakpoint");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(each_word_is_a_key, setup),
        cmocka_unit_test_setup(a_histogram_is_of_a_number, setup),
        cmocka_unit_test_setup(what_there_is_not_is_refused_with_what_there_is, setup),
        cmocka_unit_test_setup(two_events_are_a_span, setup),
        cmocka_unit_test_setup(a_span_without_an_end_is_refused, setup),
        cmocka_unit_test_setup(it_is_for_all_events_of_the_e_before, setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
