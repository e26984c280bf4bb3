/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * watchdog=SECONDS reports, once per stall, a CPU that serves no timer interrupt for so long
 * (docs/crash.md).
 */
#pragma once

/* Reads the command line and starts to watch all CPUs, or reports why it cannot. Boot. */
void watchdog_init(void);
