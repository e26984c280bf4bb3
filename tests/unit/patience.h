/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A hang detector for unit tests whose subject may loop for ever if it is wrong: kills the process
 * (SIGXCPU) after this many seconds of CPU time. Wall-clock time would not do: on a busy host a
 * correct test may wait for minutes. A child starts again at 0, with the same limit.
 */
#pragma once

#include <sys/resource.h>

static inline void patience_start(unsigned cpu_seconds)
{
    struct rlimit limit;

    getrlimit(RLIMIT_CPU, &limit);
    limit.rlim_cur = cpu_seconds;
    setrlimit(RLIMIT_CPU, &limit);
}
