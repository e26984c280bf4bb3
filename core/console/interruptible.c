/* SPDX-License-Identifier: BSD-2-Clause */
/* See interruptible.h. */
#include "core/console/interruptible.h"

#include "core/console/command.h"

static void interruptible_rewind(struct record_source *source)
{
    struct record_source *records = ((struct interruptible *)source)->records;

    records->rewind(records);
}

static const struct perf_event_header *interruptible_next(struct record_source *source)
{
    struct record_source *records = ((struct interruptible *)source)->records;

    return command_interrupted() ? NULL : records->next(records);
}

struct interruptible interruptible_records(struct record_source *records)
{
    return (struct interruptible){.source = {.rewind = interruptible_rewind,
                                             .next = interruptible_next,
                                             .events = records->events,
                                             .event_count = records->event_count},
                                  .records = records};
}
