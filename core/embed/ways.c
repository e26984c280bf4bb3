/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Call chains in another kernel: by the table, if there is one, and by frame pointers, which its
 * compiler was told to keep. In place of core/unwind/default_orc.c; read by unwind.c.
 */
#include "core/unwind/step.h"

const struct unwind_way *const unwinder_ways[UNWIND_METHODS] = {
    [UNWIND_BY_TABLE] = &unwind_orc, [UNWIND_BY_FRAME_POINTER] = &unwind_fp};
const enum unwind_method unwinder_method = UNWIND_BY_FRAME_POINTER;
