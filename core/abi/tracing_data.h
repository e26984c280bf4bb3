/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The beginning of a description of tracepoints' fields, as perf reads it. Source: trace-cmd's
 * trace.dat of version 0.6 (docs/tracepoints.md). Included by core/stream/tracing_data.c and
 * outside/pitot/heap_record.c.
 */
#pragma once

#define TRACING_DATA_MAGIC "\x17\x08\x44tracing0.6" /* including its NUL */

/*
 * The layout of a trace page. No page follows, but perf rejects an empty layout, and derives the
 * size of a long from it.
 */
#define TRACING_DATA_HEADER_PAGE                                                                   \
    "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"                                     \
    "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"                                    \
    "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"                                     \
    "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n"
