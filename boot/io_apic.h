/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the I/O interrupt controller of a line in the firmware's tables. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct io_apic_line {
    volatile void *registers; /* the controller's */
    unsigned line;            /* number among the controller's lines */
};

/* False: no controller has that line. After memory_init. Boot. */
bool io_apic_find(unsigned line, struct io_apic_line *found);
