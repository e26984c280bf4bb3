/* SPDX-License-Identifier: BSD-2-Clause */
/* Which I/O interrupt controller has which line, as the firmware tells. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct io_apic_line {
    volatile void *registers; /* of the controller, */
    unsigned line;            /* ... and which of its lines */
};

/* False: there is no controller, or none that has it. After memory_init. Boot. */
bool io_apic_find(unsigned line, struct io_apic_line *found);
