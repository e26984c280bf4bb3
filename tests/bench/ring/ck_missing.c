/* SPDX-License-Identifier: BSD-2-Clause */
/* Replaces ck.c if Concurrency Kit is not installed. */
#include "tests/bench/ring/writers.h"

static const char *missing(void)
{
    return "libck-dev is not installed (tools/packages bench)";
}

const struct writer writer_ck_running = {
    .name = "Concurrency Kit, spsc", .clock = true, .missing = missing};
const struct writer writer_ck_still = {
    .name = "Concurrency Kit, spsc", .clock = false, .missing = missing};
