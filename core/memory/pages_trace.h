/* SPDX-License-Identifier: BSD-2-Clause */
/* The page allocator's tracepoints. Task and interrupt context, like core/memory/pages.c. */
#pragma once

#include "core/perf/tracepoint.h"

#define MM_PAGE_FIELDS(FIELD, of)                                                                  \
    FIELD(of, pointer, address, "address=%p")                                                      \
    FIELD(of, u32, order, " order=%u")

TRACEPOINT_DECLARE(mm_page_alloc, MM_PAGE_FIELDS); /* address NULL: there was no room */
TRACEPOINT_DECLARE(mm_page_free, MM_PAGE_FIELDS);
