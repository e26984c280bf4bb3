/* SPDX-License-Identifier: BSD-2-Clause */
/* The NMI's side of parking (arch_cpus_park, arch/arch.h; docs/smp.md). */
#pragma once

#include <stdbool.h>

struct regs;

/*
 * An NMI has come: true if it, or one for which it may stand, was sent by another CPU. Stands still
 * in here while that is what is asked for. On the NMI's page, watches off.
 */
bool park_serve(const struct regs *regs);
