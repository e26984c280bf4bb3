/* SPDX-License-Identifier: BSD-2-Clause */
/* Process queries for breakpoints (struct breakpoint_processes of core/breakpoint/breakpoint.h). */
#pragma once

/* Boot. */
void process_watch_init(void);
