/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * watchdog=SECONDS of the kernel's command line: a CPU that has served no interrupt of its timer
 * for so long is reported, once, and the machine continues as it can. docs/crash.md has the
 * design.
 */
#pragma once

/* Reads the command line, and watches all CPUs from here on, or says why not. Boot. */
void watchdog_init(void);
