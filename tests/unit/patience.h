/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A hang detector for unit tests whose subject may walk for ever when it is wrong: it ends the
 * process (SIGXCPU) that has had so many seconds of the CPU. Not of the clock: on a busy host a
 * test that does nothing wrong may wait for minutes. A child begins anew, with the same limit.
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
