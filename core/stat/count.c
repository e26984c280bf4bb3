/* SPDX-License-Identifier: BSD-2-Clause */
/* See count.h. Called by core/command/stat.c and interval.c. */
#include "core/stat/count.h"

#include "core/event/spec.h"
#include "core/lib/print.h"

/* As perf prints it: a clock counts nanoseconds, which are shown as milliseconds. */
void count_print(const struct event_spec *event, uint64_t count)
{
    unsigned long long hundredths = (count + 5000) / 10000;

    if (event->source->counts_time)
        print("%15llu.%02llu msec %s", hundredths / 100, hundredths % 100, event->name);
    else
        print("%18llu      %s", (unsigned long long)count, event->name);
}
