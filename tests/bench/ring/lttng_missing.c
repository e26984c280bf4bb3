/* SPDX-License-Identifier: BSD-2-Clause */
/* Replaces lttng.c if LTTng-UST is not installed. */
#include "tests/bench/ring/writers.h"

static const char *missing(void)
{
    return "liblttng-ust-dev is not installed (tools/packages bench)";
}

const struct writer writer_lttng = {
    .name = "LTTng-UST, snapshot mode", .clock = true, .missing = missing};
