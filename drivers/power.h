/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns the machine off, or resets it. Any context. */
#pragma once

#include <stdint.h>

/* Turns the machine off, as the emulators' ACPI would; returns if nothing responded. */
void power_off(void);

/*
 * QEMU's isa-debug-exit: the emulator exits with status (code << 1) | 1. Returns if there is no
 * such device.
 */
void power_exit(uint8_t code);

/* Resets by the keyboard controller, then by the chipset; returns if neither responded. */
void power_reset(void);
