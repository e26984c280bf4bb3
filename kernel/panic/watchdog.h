/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * watchdog=SECONDS on the kernel's command line: a CPU that has served no timer interrupt for that
 * long is reported, once, and the machine continues as it can. docs/crash.md has the design.
 */
#pragma once

/* Reads the command line and starts to watch all CPUs, or reports why it cannot. Boot. */
void watchdog_init(void);
