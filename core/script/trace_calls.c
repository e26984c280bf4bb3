/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See trace_calls.h. Statistics are computed in integers: squares in coarse units, square roots by
 * bisection.
 */
#include "core/script/trace_calls.h"

#include <linux/errno.h>

#include "core/lib/assert.h"
#include "core/lib/string.h"
#include "core/report/percent.h"
#include "core/tracepoint/tracepoint.h"

/* Errors with the C library's messages, which perf prints. */
static const struct trace_error errors[] = {
    {EPERM, "EPERM", "Operation not permitted"},
    {ENOENT, "ENOENT", "No such file or directory"},
    {ESRCH, "ESRCH", "No such process"},
    {EINTR, "EINTR", "Interrupted system call"},
    {EIO, "EIO", "Input/output error"},
    {E2BIG, "E2BIG", "Argument list too long"},
    {ENOEXEC, "ENOEXEC", "Exec format error"},
    {EBADF, "EBADF", "Bad file descriptor"},
    {ECHILD, "ECHILD", "No child processes"},
    {EAGAIN, "EAGAIN", "Resource temporarily unavailable"},
    {ENOMEM, "ENOMEM", "Cannot allocate memory"},
    {EACCES, "EACCES", "Permission denied"},
    {EFAULT, "EFAULT", "Bad address"},
    {EBUSY, "EBUSY", "Device or resource busy"},
    {EEXIST, "EEXIST", "File exists"},
    {ENODEV, "ENODEV", "No such device"},
    {ENOTDIR, "ENOTDIR", "Not a directory"},
    {EISDIR, "EISDIR", "Is a directory"},
    {EINVAL, "EINVAL", "Invalid argument"},
    {EMFILE, "EMFILE", "Too many open files"},
    {EFBIG, "EFBIG", "File too large"},
    {ENOSPC, "ENOSPC", "No space left on device"},
    {ESPIPE, "ESPIPE", "Illegal seek"},
    {ERANGE, "ERANGE", "Numerical result out of range"},
    {ENAMETOOLONG, "ENAMETOOLONG", "File name too long"},
    {ENOSYS, "ENOSYS", "Function not implemented"},
    {ENOTEMPTY, "ENOTEMPTY", "Directory not empty"},
};

const struct pitot_call *trace_call_at(unsigned index)
{
    return index < host.call_count ? &host.calls[index] : NULL;
}

int trace_call_by_number(uint64_t number)
{
    const struct pitot_call *call = tracepoint_call(number);

    return call ? (int)(call - host.calls) : -1;
}

int trace_call_by_name(const char *name, size_t length)
{
    for (unsigned i = 0; i < host.call_count; i++)
        if (strlen(host.calls[i].name) == length && strncmp(host.calls[i].name, name, length) == 0)
            return (int)i;
    return -1;
}

const struct trace_error *trace_error_find(uint64_t number)
{
    for (unsigned i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
        if (errors[i].number == number)
            return &errors[i];
    return NULL;
}

/* --- Statistics. --- */

void trace_stats_add(struct trace_stats *stats, uint64_t duration, bool failed)
{
    uint64_t units = duration / TRACE_UNIT_NS;
    uint64_t square = units < UINT32_MAX ? units * units : UINT64_MAX;

    if (stats->calls == 0 || duration < stats->least)
        stats->least = duration;
    if (duration > stats->most)
        stats->most = duration;
    stats->calls++;
    stats->errors += failed;
    stats->total += duration;
    stats->units += units;
    stats->squares = stats->squares > UINT64_MAX - square ? UINT64_MAX : stats->squares + square;
}

static uint64_t square_root(uint64_t value)
{
    uint64_t root = 0;

    for (unsigned bit = 32; bit-- > 0;)
        if ((root | 1ull << bit) * (root | 1ull << bit) <= value)
            root |= 1ull << bit;
    return root;
}

/*
 * Returns the standard deviation of the mean, in hundredths of a per cent of the mean; 0 if the
 * durations are too few, too short or too long.
 */
static uint64_t deviation(const struct trace_stats *stats)
{
    uint64_t n = stats->calls, spread;
    unsigned doublings = 0;

    if (n < 2 || n > UINT32_MAX || stats->units / n == 0 || stats->units > UINT32_MAX ||
        stats->squares < stats->units * stats->units / n)
        return 0;
    spread = stats->squares - stats->units * stats->units / n;
    while (spread >> 61 == 0 && doublings < 16) {
        spread <<= 2;
        doublings++;
    }
    return (square_root(spread / (n - 1) / n) * 10000 / (stats->units / n)) >> doublings;
}

#define NS_PER_MS 1000000

void trace_print_ms(struct sink *sink, int width, uint64_t nanoseconds)
{
    unsigned long long microseconds = quotient_thousandths(nanoseconds, NS_PER_MS);

    print_to(sink, "%*llu.%03llu", width - 4, microseconds / 1000, microseconds % 1000);
}

static void print_call(struct sink *sink, const char *name, const struct trace_stats *stats)
{
    const uint64_t columns[] = {stats->total, stats->least, stats->total / stats->calls,
                                stats->most};
    unsigned long long percent = deviation(stats);

    assert(stats->errors <= stats->calls && stats->least <= stats->most);
    print_to(sink, "   %-15s %8llu %6llu", name, (unsigned long long)stats->calls,
             (unsigned long long)stats->errors);
    for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
        print_to(sink, " ");
        trace_print_ms(sink, 9, columns[i]);
    }
    print_to(sink, " %6llu.%02llu%%\n", percent / 100, percent % 100);
}

/* Returns the call with the longest total time that is not in `done` (bit i: call i), or -1. */
static int next_call(const struct trace_stats *stats, uint64_t done)
{
    int next = -1;

    for (unsigned i = 0; trace_call_at(i); i++)
        if (stats[i].calls && !(done >> i & 1) && (next < 0 || stats[i].total > stats[next].total))
            next = (int)i;
    return next;
}

void trace_stats_print(struct sink *sink, const struct trace_stats *stats)
{
    uint64_t done = 0;
    int call;

    print_to(
        sink,
        "\n   syscall            calls  errors  total       min       avg       max       stddev"
        "\n                                     (msec)    (msec)    (msec)    (msec)        (%%)"
        "\n   --------------- --------  ------ -------- --------- --------- ---------     ------"
        "\n");
    while ((call = next_call(stats, done)) >= 0) {
        print_call(sink, trace_call_at((unsigned)call)->name, &stats[call]);
        done |= 1ull << call;
    }
    print_to(sink, "\n\n");
}
