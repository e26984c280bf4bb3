/* SPDX-License-Identifier: BSD-2-Clause */
/* Starts all CPUs but the boot CPU. Boot, interrupts off, on the boot CPU. */
#pragma once

/* Starts the other CPUs one after the other, each with its idle thread and its ticks. */
void cpus_start(void);
