/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sample kernel's line for gdb vanishes when Pitot has looked once: a port that is not there
 * reads as ones, also where it says whether a byte has come. Linked in front of gdb_get
 * (port.mk) for tests/boot/ports_gdb.t.
 */
#include "ports/c/kernel.h"

#include "pitot.h"

int __wrap_gdb_get(void);

int __wrap_gdb_get(void)
{
    static int calls;

    return calls++ ? 0xff : -1;
}
