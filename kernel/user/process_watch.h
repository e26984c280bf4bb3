/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What breakpoints ask of processes (struct breakpoint_processes of core/breakpoint/breakpoint.h).
 */
#pragma once

/* Boot. */
void process_watch_init(void);
