/* SPDX-License-Identifier: BSD-2-Clause */
/* See command.h: ^C, as the kernel reports it (core/pitot.h), which also ends a record source. */
#include "core/console/command.h"
#include "core/host.h"

bool command_interrupted(void)
{
    return host.interrupted && host.interrupted(PITOT_INTERRUPT_ASK);
}

bool command_take_interrupt(void)
{
    return host.interrupted && host.interrupted(PITOT_INTERRUPT_TAKE);
}

void command_wait_interrupt(void)
{
    if (host.interrupted)
        host.interrupted(PITOT_INTERRUPT_AWAIT);
}

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
