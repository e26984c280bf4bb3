/* SPDX-License-Identifier: BSD-2-Clause */
/* The interrupt with which one CPU notifies another (arch_cpu_poke, arch/smp.h). */
#pragma once

/* Boot, before another CPU runs. */
void poke_init(void);
