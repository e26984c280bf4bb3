/* SPDX-License-Identifier: BSD-2-Clause */
/* A record source that ends at ^C, for commands that read recordings. Task context. */
#pragma once

#include "core/sample/records.h"

struct interruptible {
    struct record_source source; /* passed to the reader */
    struct record_source *records;
};

/* `records` must outlive the returned structure. */
struct interruptible interruptible_records(struct record_source *records);
