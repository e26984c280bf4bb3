/* SPDX-License-Identifier: BSD-2-Clause */
/* A count as `perf stat` prints it. Task context. */
#pragma once

#include <stdint.h>

struct event_spec;

/* In perf's columns, without the line's end. */
void count_print(const struct event_spec *event, uint64_t count);
