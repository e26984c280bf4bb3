/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * UNWINDER=orc: the kernel is built without frame pointers, and chains come from the table alone.
 * The Makefile links this or default_fp.c; read by unwind.c.
 */
#include "core/unwind/step.h"

const struct unwinder *const unwinders[UNWIND_METHODS] = {[UNWIND_BY_TABLE] = &unwind_orc};
const enum unwind_method unwinder_method = UNWIND_BY_TABLE;
