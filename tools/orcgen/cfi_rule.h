/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts a row of call frame information to a rule of the unwind table. Called by cfi.c. */
#pragma once

#include <elfutils/libdw.h>
#include <stdbool.h>

#include "core/abi/unwind_table.h"

/* A shape that cannot be expressed, and what could be. */
struct cfi_shape {
    char words[256];
    const char *wanted;
};

/* False, with *shape filled, if the table has no rule for this. */
bool cfi_rule(struct unwind_rule *rule, Dwarf_Frame *frame, bool signal, struct cfi_shape *shape);
