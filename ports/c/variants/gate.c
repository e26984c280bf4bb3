/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sample kernel gives no IST stack for debug traps, or that of its NMIs, or has no gate for
 * them, as GATE of the linker's command line says. Linked in front of pitot_init (port.mk) for
 * tests/boot/ports_c.t.
 */
#include "ports/c/kernel.h"

#include "pitot.h"

#define NMI_VECTOR 2
#define GATE_SIZE  16
#define STACK      4 /* its byte that says on which stack */
#define TYPE       5 /* the gate's byte that says whether it is present */

extern const char GATE[]; /* 1: an empty gate; 2: no stack; 3: that of NMIs */

const char *__wrap_pitot_init(const struct pitot_kernel *kernel);
const char *__real_pitot_init(const struct pitot_kernel *kernel);

const char *__wrap_pitot_init(const struct pitot_kernel *kernel)
{
    struct __attribute__((packed)) {
        uint16_t last;
        uint8_t *base;
    } idt;
    struct pitot_kernel with = *kernel;

    __asm__ volatile("sidt %0" : "=m"(idt));
    if ((uint64_t)GATE == 1)
        idt.base[DEBUG_VECTOR * GATE_SIZE + TYPE] = 0;
    else if ((uint64_t)GATE == 2)
        with.debug_ist = 0;
    else
        idt.base[NMI_VECTOR * GATE_SIZE + STACK] = (uint8_t)with.debug_ist;
    return __real_pitot_init(&with);
}
