/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The interrupt tables of the machine's CPUs: which code a handler begins at, and its vector. The
 * operand of `lidt` is told; the table is read from memory. QEMU 9.2 and later; idt_has is used
 * before 10.2, which tells interrupts by itself.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* `lidt` has read its operand. */
void idt_set_limit(unsigned cpu, uint16_t limit);
void idt_set_base(unsigned cpu, uint64_t base);

/* True if a handler begins at this address, by the tables as they are in memory now. */
bool idt_has(uint64_t address);

/*
 * Returns the vector whose handler begins there, of those whose exceptions have an error code or
 * not; RUN_VECTOR_UNKNOWN if there are several.
 */
int idt_vector(unsigned cpu, uint64_t entry, bool has_error);
