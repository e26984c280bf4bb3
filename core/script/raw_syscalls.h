/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fields of raw_syscalls:sys_enter and sys_exit, as in Linux. A host that runs programs defines the
 * tracepoints with them (core/pitot_trace.h), and `perf trace` decodes its samples.
 *
 * `path` and `path_more` are the first 15 and the next 15 characters of the call's first PATH
 * argument, or empty. A longer string ends with three dots.
 */
#pragma once

#define RAW_SYS_ENTER_FIELDS                                                                       \
    PITOT_FIELD(s64, id, "NR %ld"), PITOT_FIELD(u64, arg0, " (%lx"),                               \
        PITOT_FIELD(u64, arg1, ", %lx"), PITOT_FIELD(u64, arg2, ", %lx"),                          \
        PITOT_FIELD(u64, arg3, ", %lx"), PITOT_FIELD(u64, arg4, ", %lx"),                          \
        PITOT_FIELD(u64, arg5, ", %lx)"), PITOT_FIELD(text, path, " %s"),                          \
        PITOT_FIELD(text, path_more, "%s")

#define RAW_SYS_EXIT_FIELDS PITOT_FIELD(s64, id, "NR %ld"), PITOT_FIELD(s64, ret, " = %ld")
