/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The records of a source until ^C is typed: a command that reads a recording then gets no further
 * record, however long its loop is. Task context.
 */
#pragma once

#include "core/sample/records.h"

struct interruptible {
    struct record_source source; /* what the reader is given */
    struct record_source *records;
};

/* `records` outlives what is returned. */
struct interruptible interruptible_records(struct record_source *records);
