/* SPDX-License-Identifier: BSD-2-Clause */
/* The periodic interrupt of each CPU, and all that depends on it. */
#pragma once

#include <stdbool.h>

/*
 * The boot CPU's begins, and each CPU's that starts later. With an NMI clock there is no 8254 (see
 * boot/nmi_clock.h). Boot, interrupts off.
 */
void timer_begin(bool has_nmi_clock);
