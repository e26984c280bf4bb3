/* SPDX-License-Identifier: BSD-2-Clause */
/* Text that is changed while it may run. */
#pragma once

#include <stdint.h>

/*
 * One byte of the kernel's text, seven or more before its end. Interrupts off, all other CPUs
 * parked.
 */
void patch_byte(uintptr_t address, uint8_t byte);
