/* SPDX-License-Identifier: BSD-2-Clause */
/* Changing text that may be in use. */
#pragma once

#include <stdint.h>

/*
 * Writes one byte of the kernel's text, at least seven bytes before its end. Interrupts off, all
 * other CPUs parked.
 */
void patch_byte(uintptr_t address, uint8_t byte);
