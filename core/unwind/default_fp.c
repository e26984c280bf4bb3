/* SPDX-License-Identifier: BSD-2-Clause */
/* UNWINDER=fp: chains use frame pointers unless the table is requested. See default_orc.c. */
#include "core/unwind/step.h"

const struct unwinder *const unwinders[UNWIND_METHODS] = {
    [UNWIND_BY_TABLE] = &unwind_orc, [UNWIND_BY_FRAME_POINTER] = &unwind_fp};
const enum unwind_method unwinder_method = UNWIND_BY_FRAME_POINTER;
