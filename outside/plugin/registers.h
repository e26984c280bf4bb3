/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The registers of a CPU. QEMU before 9.2 does not provide them; `pitot` then does not request
 * them.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "outside/wire.h"

/*
 * Reads the registers of the CPU that runs this callback, in the order of struct wire_registers;
 * `ip` is the current instruction, because QEMU updates the program counter only between blocks.
 * The callback must be registered with QEMU_PLUGIN_CB_R_REGS. False: QEMU does not provide them.
 * One caller at a time.
 */
bool registers_read(uint64_t ip, uint64_t to[WIRE_REGISTERS_COUNT]);
