/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The NMI clock (core/event/source_nmi_clock.h; docs/sources.md): the HPET, through a line of an
 * I/O interrupt controller to the boot CPU. Boot, interrupts off.
 */
#pragma once

#include <stdbool.h>

/*
 * Finds the devices of the NMI clock; nothing runs yet. If they exist, stops the 8254, which must
 * not be used then, and returns true. Called after cpus_find.
 */
bool nmi_clock_find(void);
