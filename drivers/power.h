/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns the machine off, or resets it. Any context. */
#pragma once

#include <stdint.h>

/* Turns the machine off as ACPI would in an emulator. Returns if nothing has responded. */
void power_off(void);

/* By isa-debug-exit, QEMU exits with status (code << 1) | 1. Returns if there is no such device. */
void power_exit(uint8_t code);

/* Resets by the keyboard controller, then by the chipset. Returns if neither has responded. */
void power_reset(void);
