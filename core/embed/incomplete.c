/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the last recording of pitot_start has and lacks, in words for the kernel's console. Task
 * context.
 */
#include "core/embed/embed.h"

#include "core/lib/print.h"
#include "core/pitot.h"

static char text[400];
static size_t length;
static unsigned long long kept;

__attribute__((format(printf, 1, 2))) static void add(const char *format, ...)
{
    va_list list;

    if (length)
        length += print_into(text + length, sizeof(text) - length, "; ");
    va_start(list, format);
    length += print_list_into(text + length, sizeof(text) - length, format, list);
    va_end(list);
}

void embed_incomplete_set(const struct embed_missing *missing)
{
    length = 0;
    kept = missing->kept;
    if (missing->records)
        add("%llu records are lost: RING of make lib is %d", (unsigned long long)missing->records,
            EMBED_RING_SIZE);
    if (missing->doubtful)
        add("%llu hits are left out, as they may be of another event%s",
            (unsigned long long)missing->doubtful,
            missing->tables ? "" : ": tables tell, made by pitot-tables");
    if (missing->ticks)
        add("no samples by time: pitot_tick was not called");
    if (missing->entries)
        add("%s", missing->entries);
    if (missing->locked)
        add("watches miscount xchg and locked instructions on this machine: start QEMU with -accel "
            "tcg,thread=single");
}

const char *pitot_incomplete(void)
{
    return length ? text : NULL;
}

const char *pitot_summary(void)
{
    static char summary[sizeof(text) + 80];

    print_into(summary, sizeof(summary), "%llu records\n%llu doubtful hits\n%s%s%s", kept,
               pitot_doubtful(), length ? "incomplete: " : "", length ? text : "",
               length ? "\n" : "");
    return summary;
}
