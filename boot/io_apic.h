/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the I/O APIC of a line in the firmware's tables. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct io_apic_line {
    volatile void *registers; /* of the I/O APIC */
    unsigned line;            /* number among the lines of this I/O APIC */
};

/* Returns false if no I/O APIC has that line. Boot, after memory_init. */
bool io_apic_find(unsigned line, struct io_apic_line *found);
