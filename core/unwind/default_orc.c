/* SPDX-License-Identifier: BSD-2-Clause */
/* UNWINDER=orc: no frame pointers, so chains use the table. The alternative is default_fp.c. */
#include "core/unwind/step.h"

const struct unwinder *const unwinders[UNWIND_METHODS] = {[UNWIND_BY_TABLE] = &unwind_orc};
const enum unwind_method unwinder_method = UNWIND_BY_TABLE;
