/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sample kernel gives no IST stack for debug traps, or that of its NMIs, or has no gate for
 * them, as GATE of the linker's command line says. Linked in front of pitot_init (port.mk) for
 * tests/boot/ports_c.t.
 */
#include "ports/c/variants/gates.h"

#include "pitot.h"

#define NMI_VECTOR 2

extern const char GATE[]; /* 1: an empty gate; 2: no stack; 3: that of NMIs */

const char *__wrap_pitot_init(const struct pitot_kernel *kernel);
const char *__real_pitot_init(const struct pitot_kernel *kernel);

const char *__wrap_pitot_init(const struct pitot_kernel *kernel)
{
    struct pitot_kernel with = *kernel;

    if ((uint64_t)GATE == 1)
        gate_of(DEBUG_VECTOR)[GATE_TYPE] = 0;
    else if ((uint64_t)GATE == 2)
        with.debug_ist = 0;
    else
        gate_of(NMI_VECTOR)[GATE_STACK] = (uint8_t)with.debug_ist;
    return __real_pitot_init(&with);
}
