/* SPDX-License-Identifier: BSD-2-Clause */
/* The NMI's side of parking (arch_cpus_park, arch/arch.h; docs/smp.md). */
#pragma once

#include <stdbool.h>

struct regs;

/* Stands still in here while that is what is asked for. On the NMI's page, watches off. */
void park_serve(const struct regs *regs);

/* This CPU parks the others: it may have changed half of something. Any context. */
bool park_is_parker(void);
