/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The clock that comes as an NMI (core/event/source_nmi_clock.h; docs/sources.md): the HPET, by a
 * line of an I/O interrupt controller to the boot CPU. Boot, interrupts off.
 */
#pragma once

#include <stdbool.h>

/*
 * Looks for what it needs; nothing runs yet. True if it is there: then the 8254 is stopped, and
 * cannot be used. Called after cpus_find.
 */
bool nmi_clock_find(void);
