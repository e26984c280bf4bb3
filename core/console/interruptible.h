/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The records of a source as long as no ^C is typed: a command that reads a recording stops at the
 * record where it is, however long its loop. Task context.
 */
#pragma once

#include "core/sample/records.h"

struct interruptible {
    struct record_source source; /* what the reader is given */
    struct record_source *records;
};

/* `records` outlives what is returned. */
struct interruptible interruptible_records(struct record_source *records);
