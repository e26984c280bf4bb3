/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The registers and the memory of the CPU whose callback runs, registered with
 * QEMU_PLUGIN_CB_R_REGS. From QEMU 9.2 on; nothing is known before.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "outside/wire.h"

enum { REGISTERS_AX = 0, REGISTERS_SP = 4 }; /* as instructions number them */

/*
 * Reads all registers of a record; `ip` is the instruction's address, because QEMU's rip is that of
 * the block. False if one is not known.
 */
bool registers_read(unsigned cpu, uint64_t ip, uint64_t to[WIRE_REGISTERS_COUNT]);

/* A general register, as instructions number them: ax cx dx bx sp bp si di r8 to r15. */
uint64_t registers_general(unsigned cpu, unsigned number);

/*
 * An argument of the function that begins, from 1 to 6. System V ABI, "Parameter Passing".
 */
uint64_t registers_argument(unsigned cpu, uint64_t number);

/* rflags; of the flags of arithmetic QEMU may tell older ones. */
uint64_t registers_flags(unsigned cpu);

/*
 * Set them, in a callback that was registered with QEMU_PLUGIN_CB_RW_REGS. Then: to continue at
 * another instruction, with QEMU_PLUGIN_CB_RW_REGS_PC: does not return to the callback.
 */
void registers_set_general(unsigned cpu, unsigned number, uint64_t value);
void registers_set_argument(unsigned cpu, uint64_t number, uint64_t value);
void registers_continue_at(uint64_t ip);

/* True if this QEMU does so. */
bool registers_can_change(void);
bool registers_can_skip(void);

/* cr3 without its flags. */
uint64_t registers_space(unsigned cpu);

/*
 * Reads memory at a virtual address of the CPU whose thread this is; false: not mapped. `cpu` may
 * be REGISTERS_NO_CPU under the plugin's lock.
 */
enum { REGISTERS_NO_CPU = 256 };

bool registers_memory(unsigned cpu, uint64_t address, void *to, size_t size);

/* The same at a physical address, from QEMU 10.1 on, under the lock. False: not known. */
bool registers_physical(uint64_t address, void *to, size_t size);
