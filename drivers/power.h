/* SPDX-License-Identifier: BSD-2-Clause */
/* Turning the machine off or on again. Any context. */
#pragma once

#include <stdint.h>

/* Off, as the emulators' ACPI would; returns if nothing obeyed. */
void power_off(void);

/*
 * QEMU's isa-debug-exit: the emulator ends with status (code << 1) | 1. Returns where there is no
 * such device.
 */
void power_exit(uint8_t code);

/* Resets by the keyboard controller, then by the chipset; returns if nothing obeyed. */
void power_reset(void);
