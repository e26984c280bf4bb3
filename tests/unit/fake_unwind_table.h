/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A reserved section for core/unwind/orc.c on the host, and a way to fill it as tools/orcgen
 * fills the kernel's. Zeroed it holds no table.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define FAKE_UNWIND_TABLE_SIZE 0x10000

/* Ends at unwind_table_end; reads past the end kill the test. */
extern char fake_unwind_table[FAKE_UNWIND_TABLE_SIZE];

/*
 * Fills in these bytes, followed by zeros. A test that wants the table checked calls unwind_init.
 */
void fake_unwind_table_fill(const void *bytes, size_t size);
