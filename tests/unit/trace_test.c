/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The lines and sums of perf trace, for hand-made recordings: calls in one piece and in two, of
 * threads that take turns, that began before the recording or never end; values as perf prints
 * them; and the summary's arithmetic.
 *
 * links: tests/unit/fake_arch.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/sample/records.h"
#include "core/script/trace_calls.h"
#include "core/tracepoint/tracepoint.h"
#include "kernel/syscall/syscalls.h"

#define START 5000000000 /* ns, of the first sample */
#define US    1000
#define ALL   UINT64_MAX

enum { ENTER = 1, EXIT }; /* ids of events and of tracepoints */

#define TYPE                                                                                       \
    (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW)

static struct pitot_tracepoint tracepoints[] = {{.full_name = "raw_syscalls:sys_enter"},
                                                {.full_name = "raw_syscalls:sys_exit"}};

struct pitot_tracepoint *tracepoint_by_id(uint64_t id)
{
    return &tracepoints[id - 1];
}

const char *comm_of(uint32_t tid)
{
    static const char *const names[] = {"", "editor", "a-name-of-15-ch"};

    return tid < 3 ? names[tid] : "";
}

/* --- A recording. --- */

static uint64_t words[4096];
static size_t used, read_at;

static void rewind_it(struct record_source *source)
{
    (void)source;
    read_at = 0;
}

static const struct perf_event_header *next_record(struct record_source *source)
{
    const struct perf_event_header *record = (const void *)&words[read_at];

    (void)source;
    if (read_at == used)
        return NULL;
    read_at += record->size / sizeof(words[0]);
    return record;
}

static const struct recorded_event events[] = {
    {.id = ENTER, .attr = {.type = PERF_TYPE_TRACEPOINT, .config = ENTER, .sample_type = TYPE}},
    {.id = EXIT, .attr = {.type = PERF_TYPE_TRACEPOINT, .config = EXIT, .sample_type = TYPE}}};

/* The head and its padding, then the fields; the size before them shares its first word. */
static void add(uint64_t id, uint32_t tid, uint64_t microseconds, const uint64_t *fields,
                size_t count)
{
    struct perf_event_header header = {.type = PERF_RECORD_SAMPLE};
    uint32_t size = (uint32_t)(16 + 8 * count + 4);
    size_t begun = used;

    words[used++] = 0;
    words[used++] = id;
    words[used++] = 0x401000;
    words[used++] = (uint64_t)tid << 32 | tid;
    words[used++] = START + microseconds * US;
    memcpy(&words[used], &size, sizeof(size));
    memset((char *)&words[used] + 4, 0, 16);
    memcpy((char *)&words[used] + 4 + 16, fields, 8 * count);
    used += 3 + count;
    header.size = (uint16_t)((used - begun) * sizeof(words[0]));
    memcpy(&words[begun], &header, sizeof(header));
}

static void enter(uint32_t tid, uint64_t microseconds, uint64_t call, uint64_t first,
                  uint64_t second, uint64_t third, const char *path)
{
    uint64_t fields[11] = {call, first, second, third};

    for (unsigned part = 0; part < 2 && strlen(path) > 15 * part; part++)
        strncpy((char *)&fields[7 + 2 * part], path + (size_t)15 * part, 15);
    add(ENTER, tid, microseconds, fields, 11);
}

static void leave(uint32_t tid, uint64_t microseconds, uint64_t call, int64_t result)
{
    const uint64_t fields[2] = {call, (uint64_t)result};

    add(EXIT, tid, microseconds, fields, 2);
}

static bool memory_left = true;
static size_t taken; /* bytes of the kernel's memory */

static void *memory_take(unsigned long bytes, const char **why)
{
    *why = "none is left";
    if (!memory_left)
        return NULL;
    taken += bytes;
    return calloc(1, bytes);
}

static void memory_give(void *memory, unsigned long bytes)
{
    taken -= bytes;
    free(memory);
}

struct text {
    struct sink sink;
    char text[65536];
    size_t length;
};

static void keep(struct sink *sink, const char *bytes, size_t length)
{
    struct text *text = (struct text *)sink;

    assert_true(text->length + length < sizeof(text->text));
    memcpy(text->text + text->length, bytes, length);
    text->length += length;
    text->text[text->length] = '\0';
}

static const char *printed(bool lines, bool summary, uint64_t calls)
{
    static struct text text;
    struct record_source source = {rewind_it, next_record, events, 2};
    struct trace_options options = {lines, summary, calls};
    struct refusal why;

    text = (struct text){.sink = {keep}};
    assert_int_equal(trace_sums_take(summary, &why), 0);
    trace_print(&text.sink, &source, &options);
    trace_sums_take(false, NULL);
    assert_int_equal(taken, 0);
    return text.text;
}

/* With single blanks. */
static const char *squeezed(const char *text)
{
    static char to[65536];
    size_t length = 0;

    for (; *text; text++)
        if (*text != ' ' || length == 0 || to[length - 1] != ' ')
            to[length++] = *text;
    to[length] = '\0';
    return to;
}

static int begin(void **state)
{
    (void)state;
    used = 0;
    return 0;
}

enum {
    READ = 0,
    WRITE = 1,
    OPEN = 2,
    POLL = 7,
    LSEEK = 8,
    MMAP = 9,
    EXITED = 60,
    KILL = 62,
    RENAME = 82
};

/* An int's upper half is whatever the program's register held; an off_t has 64 bits. */
static void a_number_is_as_wide_as_its_type(void **state)
{
    (void)state;
    enter(1, 0, LSEEK, 0x700000003, UINT64_C(5) << 30, UINT64_C(7) << 32 | 1, "");
    leave(1, 0, LSEEK, INT64_C(5) << 30);
    enter(1, 1, LSEEK, 3, (uint64_t)INT64_MIN, 0, "");
    leave(1, 1, LSEEK, -22);
    enter(1, 2, KILL, UINT32_MAX, 9, 0, "");
    leave(1, 2, KILL, 0);
    assert_string_equal(
        squeezed(printed(true, false, ALL)),
        " 0.000 ( 0.000 ms): editor/1 lseek(fd: 3, offset: 5368709120, whence: 1) = 5368709120\n"
        " 0.001 ( 0.000 ms): editor/1 lseek(fd: 3, offset: -9223372036854775808) = -1 EINVAL "
        "(Invalid argument)\n"
        " 0.002 ( 0.000 ms): editor/1 kill(pid: -1, sig: 9) = 0\n");
}

static void a_call_is_a_line(void **state)
{
    const char *text;

    (void)state;
    enter(1, 0, OPEN, 0x402000, 0x241, 0, "/fs-load.4/draft");
    leave(1, 166, OPEN, 3);
    enter(1, 1234567, LSEEK, 3, (uint64_t)-300, 1, "");
    leave(1, 1234567, LSEEK, -22);
    text = printed(true, false, ALL);
    assert_string_equal(
        squeezed(text),
        " 0.000 ( 0.166 ms): editor/1 open(filename: \"/fs-load.4/draft\", flags: 0x241) = 3\n"
        " 1234.567 ( 0.000 ms): editor/1 lseek(fd: 3, offset: -300, whence: 1) = -1 EINVAL "
        "(Invalid argument)\n");
    assert_memory_equal(text, "     0.000 ( 0.166 ms): editor/1 open(", 38);
    assert_memory_equal(strchr(text, '\n') + 1, "  1234.567 ( 0.000 ms): editor/1 lseek(", 39);
    assert_int_equal(strstr(text, "= 3\n") - strstr(text, "open("), 70);
    assert_int_equal(strstr(text, "= -1") - strstr(text, "lseek("), 70);
}

static void values_are_as_perf_prints_them(void **state)
{
    const char *text;

    (void)state;
    enter(2, 0, RENAME, 0x402020, 0x402060, 0, "/a-name-of-more-than-fifteen");
    leave(2, 1, RENAME, -2);
    enter(2, 2, MMAP, 0, 8192, 3, "");
    leave(2, 3, MMAP, 0x10000000);
    enter(2, 4, POLL, 0x7000, 1, 20, "");
    leave(2, 5, POLL, 0);
    enter(2, 6, READ, 5, 0x402000, 100, "");
    leave(2, 7, READ, -95);
    text = printed(true, false, ALL);
    assert_non_null(strstr(text, "): a-name-of-15-c/2 rename(oldname: "
                                 "\"/a-name-of-more-than-fifteen\", newname: 0x402060)"));
    assert_non_null(strstr(text, "= -1 ENOENT (No such file or directory)\n"));
    assert_non_null(strstr(text, "mmap(len: 8192, prot: 0x3) "));
    assert_non_null(strstr(text, "= 0x10000000\n"));
    assert_non_null(strstr(text, "poll(ufds: 0x7000, nfds: 1, timeout_msecs: 20) "));
    assert_non_null(strstr(text, "= 0 (Timeout)\n"));
    assert_non_null(strstr(text, "= -95\n")); /* an error without a name */
}

static void calls_of_two_threads_are_told_in_two_parts(void **state)
{
    const char *text;

    (void)state;
    enter(1, 0, READ, 3, 0x402000, 8, "");
    enter(2, 10, WRITE, 1, 0x402000, 5, "");
    leave(2, 30, WRITE, 5);
    leave(1, 2000, READ, 8);
    text = printed(true, false, ALL);
    assert_string_equal(
        squeezed(text),
        " 0.000 ( ? ): editor/1 read(fd: 3, buf: 0x402000, count: 8) ...\n"
        " 0.010 ( 0.020 ms): a-name-of-15-c/2 write(fd: 1, buf: 0x402000, count: 5) = "
        "5\n 0.000 ( 2.000 ms): editor/1 ... [continued]: read()) = 8\n");
    assert_int_equal(strstr(text, "...\n") - strstr(text, "read("), 67);
    assert_memory_equal(text, "     0.000 (     ?   ): editor/1 read(", 38);
}

static void a_call_that_was_under_way_and_one_that_has_no_end(void **state)
{
    const char *text;

    (void)state;
    leave(7, 0, READ, 8);
    enter(7, 100, EXITED, 3, 0, 0, "");
    text = printed(true, false, ALL);
    assert_string_equal(squeezed(text), " ? ( ? ): :7/7 ... [continued]: read()) = 8\n"
                                        " 0.100 ( ? ): :7/7 exit(error_code: 3) = ?\n");
    assert_memory_equal(text, "         ? (     ?   ): :7/7 ", 29);
    assert_int_equal(strstr(text, "= ?") - strstr(text, "exit("), 70);
}

static void only_calls_that_are_wanted_are_told(void **state)
{
    uint64_t wanted = 1ull << trace_call_by_name("write", 5);

    (void)state;
    enter(1, 0, READ, 3, 0, 8, "");
    leave(1, 5, READ, 8);
    enter(1, 10, WRITE, 1, 0, 5, "");
    leave(1, 30, WRITE, 5);
    enter(1, 40, 999, 1, 0, 5, ""); /* an unknown call */
    leave(1, 50, 999, -38);
    assert_null(strstr(printed(true, true, wanted), "read"));
    assert_non_null(strstr(printed(true, true, wanted), "     0.000 ( 0.020 ms): editor/1 write("));
    assert_non_null(strstr(printed(false, true, ALL), " editor (1), 4 events, 100.0%\n"));
    assert_null(strstr(printed(false, true, ALL), "write("));
}

static void the_summary_has_each_thread_and_the_longest_calls_first(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        enter(1, 10000 * i, READ, 3, 0, 8, "");
        leave(1, 10000 * i + 1000 * (i + 1), READ, i ? 8 : -9);
    }
    enter(1, 50000, WRITE, 1, 0, 8, "");
    leave(1, 70000, WRITE, 8);
    enter(2, 80000, WRITE, 1, 0, 8, "");
    leave(2, 80005, WRITE, 8);
    assert_string_equal(
        printed(false, true, ALL),
        "\n Summary of events:\n\n"
        " editor (1), 10 events, 83.3%\n\n"
        "   syscall            calls  errors  total       min       avg       max       stddev\n"
        "                                     (msec)    (msec)    (msec)    (msec)        (%)\n"
        "   --------------- --------  ------ -------- --------- --------- ---------     ------\n"
        "   write                  1      0    20.000    20.000    20.000    20.000      0.00%\n"
        "   read                   4      1    10.000     1.000     2.500     4.000     25.81%\n"
        "\n\n"
        " a-name-of-15-ch (2), 2 events, 16.7%\n\n"
        "   syscall            calls  errors  total       min       avg       max       stddev\n"
        "                                     (msec)    (msec)    (msec)    (msec)        (%)\n"
        "   --------------- --------  ------ -------- --------- --------- ---------     ------\n"
        "   write                  1      0     0.005     0.005     0.005     0.005      0.00%\n"
        "\n\n");
}

static void more_threads_than_there_is_room_for_are_said_to_be_left_out(void **state)
{
    (void)state;
    for (uint32_t tid = 1; tid <= 66; tid++)
        enter(tid, tid, READ, 3, 0, 8, "");
    assert_non_null(
        strstr(printed(false, true, ALL), "\n2 events of more than 64 threads are left"));
}

/* As computed in doubles, for durations of every magnitude. */
static void a_summary_for_which_there_is_no_memory_is_refused(void **state)
{
    struct refusal why;
    char expected[160];

    (void)state;
    print_into(expected, sizeof(expected),
               "a summary: %zu bytes for the sums of 64 threads: none is left",
               64 * syscall_count * sizeof(struct trace_stats));
    memory_left = false;
    assert_int_equal(trace_sums_take(true, &why), -ENOMEM);
    assert_string_equal(why.text, expected);
    assert_int_equal(trace_sums_take(false, &why), 0);
    host.memory_take = NULL;
    assert_int_equal(trace_sums_take(true, &why), -ENOMEM);
    assert_non_null(strstr(why.text, ": memory_take of struct pitot_kernel is 0"));
    host.memory_take = memory_take;
    memory_left = true;
}

static void the_deviation_of_the_mean_is_right(void **state)
{
    (void)state;
    srand(1);
    for (unsigned round = 0; round < 500; round++) {
        struct trace_stats stats[PITOT_CALLS_MAX] = {{.calls = 0}};
        unsigned n = 2 + (unsigned)rand() % 50;
        double sum = 0, squares = 0, shown, percent, variance;
        struct text text = {.sink = {keep}};
        const char *end;

        for (unsigned i = 0; i < n; i++) {
            uint64_t duration = 1000 + (uint64_t)rand() % (1000ull << round % 18);

            trace_stats_add(&stats[0], duration, false);
            sum += (double)duration;
            squares += (double)duration * (double)duration;
        }
        variance = (squares - sum * sum / n) / (n - 1) / n;
        trace_stats_print(&text.sink, stats);
        end = strstr(text.text, "%\n\n\n");
        assert_non_null(end);
        while (end[-1] != ' ')
            end--;
        shown = strtod(end, NULL) / 100;
        percent = variance / (sum / n) / (sum / n);
        if (shown * shown < percent * 0.9 - 0.0002 || shown * shown > percent * 1.1 + 0.0002)
            fail_msg("%u durations: %f, not the root of %f", n, shown, percent);
    }
}

static void every_call_is_found_by_name_and_number(void **state)
{
    const struct pitot_call *call;
    unsigned count = 0;

    (void)state;
    for (; (call = trace_call_at(count)) != NULL; count++) {
        assert_int_equal(trace_call_by_number(call->number), count);
        assert_int_equal(trace_call_by_name(call->name, strlen(call->name)), count);
    }
    assert_true(count > 15);
    assert_int_equal(trace_call_by_number(999), -1);
    assert_int_equal(trace_call_by_name("rea", 3), -1);
    host.call_count = 0;
    assert_null(trace_call_at(0));
    assert_int_equal(trace_call_by_number(0), -1);
    assert_int_equal(trace_call_by_name("read", 4), -1);
    host.call_count = syscall_count;
    assert_string_equal(trace_error_find(14)->name, "EFAULT");
    assert_string_equal(trace_error_find(14)->text, strerror(14));
    assert_null(trace_error_find(4000));
}

/* What a program's memory has at each address; read as far as it is there. */
static const char *memory;

static unsigned long read_memory(unsigned long address, char *to, unsigned long room)
{
    unsigned long length = 0;

    for (; length < room && memory[address + length] != '\0'; length++)
        to[length] = memory[address + length];
    return length;
}

static void a_path_is_read_as_far_as_there_is_room(void **state)
{
    static const struct {
        unsigned long number, address;
        const char *memory, *path, *more;
    } cases[] = {
        {2, 1, "./etc/motd", "/etc/motd", NULL},
        {2, 1, ".123456789012345", "123456789012345", NULL},
        {2, 1, ".1234567890123456", "1234567890123456", "6"},
        {2, 1, ".123456789012345678901234567890", "123456789012345678901234567890",
         "678901234567890"},
        {2, 1, ".1234567890123456789012345678901", "123456789012345678901234567...",
         "678901234567..."},
        {2, 0, "/etc/motd", "", NULL},  /* the address 0 */
        {1, 1, "./etc/motd", "", NULL}, /* write has no path */
        {999, 1, "./etc/motd", "", NULL},
        {1024, 1, "./bin/spin", "/bin/spin", NULL},
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        unsigned long argument[9] = {cases[i].number, cases[i].address, 1, 1, 1, 1, 1, 1, 1};

        memory = cases[i].memory;
        pitot_call_path(argument, read_memory);
        assert_string_equal((const char *)argument[7], cases[i].path);
        if (cases[i].more)
            assert_string_equal((const char *)argument[8], cases[i].more);
        else
            assert_int_equal(argument[8], 0);
    }
}

/* Each exact half in the first second and in some others, and the values next to it. */
static void halves_are_rounded_as_printf_rounds_them(void **state)
{
    static struct text text = {.sink = {keep}};
    uint64_t nanoseconds = 500;

    (void)state;
    for (unsigned i = 0; i < 1100000; i++) {
        char expected[40];

        text.length = 0;
        trace_print_ms(&text.sink, 10, nanoseconds);
        snprintf(expected, sizeof(expected), "%10.3f", (double)nanoseconds / 1e6);
        assert_string_equal(text.text, expected);
        nanoseconds += i < 1000000 ? 1000 : i % 3 == 0 ? 1 : i % 3 == 1 ? 999 : 12345678000;
    }
}

int main(void)
{
    host.calls = syscall_table;
    host.call_count = syscall_count;
    host.memory_take = memory_take;
    host.memory_give = memory_give;

    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_call_is_a_line, begin),
        cmocka_unit_test_setup(a_number_is_as_wide_as_its_type, begin),
        cmocka_unit_test_setup(values_are_as_perf_prints_them, begin),
        cmocka_unit_test_setup(calls_of_two_threads_are_told_in_two_parts, begin),
        cmocka_unit_test_setup(a_call_that_was_under_way_and_one_that_has_no_end, begin),
        cmocka_unit_test_setup(only_calls_that_are_wanted_are_told, begin),
        cmocka_unit_test_setup(the_summary_has_each_thread_and_the_longest_calls_first, begin),
        cmocka_unit_test_setup(more_threads_than_there_is_room_for_are_said_to_be_left_out, begin),
        cmocka_unit_test_setup(a_summary_for_which_there_is_no_memory_is_refused, begin),
        cmocka_unit_test_setup(the_deviation_of_the_mean_is_right, begin),
        cmocka_unit_test(halves_are_rounded_as_printf_rounds_them),
        cmocka_unit_test_setup(every_call_is_found_by_name_and_number, begin),
        cmocka_unit_test(a_path_is_read_as_far_as_there_is_room),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
