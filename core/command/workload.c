/* SPDX-License-Identifier: BSD-2-Clause */
/* See workload.h. */
#include "core/command/workload.h"

#include "core/console/command.h"
#include "core/event/source_branches.h"
#include "core/host.h"
#include "core/lib/cpus.h"
#include "core/lib/print.h"
#include "core/option/target.h"

/* The stream's readers find in the event's attributes what perf says so. */
void workload_follow(struct perf_options *options)
{
    struct recording_options *recording = &options->recording;

    if (options->all_threads || !host.follow)
        return;
    for (unsigned i = 0; i < recording->event_count; i++) {
        struct event_spec *event = &recording->events[i];
        bool kernel = event->source->follows && !event->attr.exclude_kernel;

        event->followed = !event->pid && !kernel;
        event->attr.inherit = event->followed;
        event->attr.enable_on_exec = event->followed && target_is_program(options->workload[0]);
    }
}

static void follow(enum host_follow which)
{
    if (host.follow)
        host.follow(which);
}

static void follow_end(void)
{
    cpus_park_surely();
    follow(HOST_FOLLOW_END);
    cpus_release();
}

int workload_run(const struct perf_options *options)
{
    int status;

    if (!options->workload) {
        print("recording until ^C\n");
        command_wait_interrupt();
        return 0;
    }
    follow(target_is_program(options->workload[0]) ? HOST_FOLLOW_FROM_EXEC : HOST_FOLLOW);
    branches_workload_begin();
    status = command_run(options->workload_count, options->workload);
    branches_workload_end();
    follow_end();
    return status;
}
