/* SPDX-License-Identifier: BSD-2-Clause */
/* Bringing up the other CPUs. Boot, interrupts off, on the boot CPU. */
#pragma once

/* Each that the machine has is started, one after the other, with its idle thread and its ticks. */
void cpus_start(void);
