/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts a row of call frame information to a rule of the unwind table. Called by cfi.c. */
#pragma once

#include <elfutils/libdw.h>
#include <stdbool.h>

#include "core/abi/unwind_table.h"

/* Describes a row that the table cannot express, and what it could express. */
struct cfi_shape {
    char words[256];
    const char *wanted;
};

/* Returns false, and fills *shape, if the table cannot express the row. */
bool cfi_rule(struct unwind_rule *rule, Dwarf_Frame *frame, bool signal, struct cfi_shape *shape);
