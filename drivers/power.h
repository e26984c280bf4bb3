/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns the machine off, or resets it. Any context. */
#pragma once

#include <stdint.h>

/* As the emulators' ACPI would; returns if nothing responded. */
void power_off(void);

/* QEMU's isa-debug-exit: QEMU exits with status (code << 1) | 1. Returns without the device. */
void power_exit(uint8_t code);

/* By the keyboard controller, then by the chipset; returns if neither responded. */
void power_reset(void);
