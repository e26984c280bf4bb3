/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The fields of raw_syscalls:sys_enter and sys_exit, as in Linux: a host with programs defines the
 * tracepoints with them (core/tracepoint/define.h), and `perf trace` reads its samples by them.
 *
 * `path` is the text that the call's first PATH argument points to, its first 15 characters, and
 * `path_more` the next 15; the last three of a longer one are dots. Both are empty where there is
 * none.
 */
#pragma once

#define RAW_SYS_ENTER_FIELDS(FIELD, of)                                                            \
    FIELD(of, s64, id, "NR %ld")                                                                   \
    FIELD(of, u64, arg0, " (%lx")                                                                  \
    FIELD(of, u64, arg1, ", %lx")                                                                  \
    FIELD(of, u64, arg2, ", %lx")                                                                  \
    FIELD(of, u64, arg3, ", %lx")                                                                  \
    FIELD(of, u64, arg4, ", %lx")                                                                  \
    FIELD(of, u64, arg5, ", %lx)")                                                                 \
    FIELD(of, text, path, " %s")                                                                   \
    FIELD(of, text, path_more, "%s")

#define RAW_SYS_ENTER_COUNT 9

#define RAW_SYS_EXIT_FIELDS(FIELD, of)                                                             \
    FIELD(of, s64, id, "NR %ld")                                                                   \
    FIELD(of, s64, ret, " = %ld")
