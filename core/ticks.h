/* SPDX-License-Identifier: BSD-2-Clause */
/* The periodic interrupt's count. Written in interrupt context; read anywhere. */
#pragma once

#include <stdint.h>

#define TICKS_A_SECOND 100

extern volatile uint64_t ticks;

/* Counts one. The timer driver calls it. */
void ticks_count(void);
