/* SPDX-License-Identifier: BSD-2-Clause */
/* The interrupt by which one CPU calls another's attention (arch_cpu_poke, arch/smp.h). */
#pragma once

/* Boot, before another CPU runs. */
void poke_init(void);
