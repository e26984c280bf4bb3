/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The page allocator's tracepoints. Task and interrupt context. Fields are Linux'
 * (docs/tracepoints.md), plus the block's `address`.
 */
#pragma once

#include "core/tracepoint/define.h"

/* `pfn`: the number of the block's first physical page. */
#define MM_PAGE_FREE_FIELDS(FIELD, of)                                                             \
    FIELD(of, pointer, address, "address=%p")                                                      \
    FIELD(of, u32, order, " order=%u")                                                             \
    FIELD(of, u64, pfn, " pfn=0x%lx")

#define MM_PAGE_ALLOC_FIELDS(FIELD, of)                                                            \
    MM_PAGE_FREE_FIELDS(FIELD, of)                                                                 \
    FIELD(of, s32, migratetype, " migratetype=%d")                                                 \
    FIELD(of, gfp, gfp_flags, " gfp_flags=%s")

/* The allocation failed: address is NULL. */
#define MM_PAGE_NONE UINT64_MAX

#define MM_PAGE_UNMOVABLE 0 /* Linux' MIGRATE_UNMOVABLE: pages are never moved */

TRACEPOINT_DECLARE(mm_page_alloc, MM_PAGE_ALLOC_FIELDS);
TRACEPOINT_DECLARE(mm_page_free, MM_PAGE_FREE_FIELDS);
