/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The registers of a CPU as QEMU 9.2 and later tell them to a plugin, in its callbacks. Older
 * versions tell none, and `pitot` does not ask for them.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "outside/wire.h"

/*
 * Those of the CPU whose callback this is, in the order of struct wire_registers; `ip` is the
 * instruction, as QEMU updates the program counter between blocks alone. The callback was
 * registered with QEMU_PLUGIN_CB_R_REGS. False: QEMU does not tell them. One caller at a time.
 */
bool registers_read(uint64_t ip, uint64_t to[WIRE_REGISTERS_COUNT]);
