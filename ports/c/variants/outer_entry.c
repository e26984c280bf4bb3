/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sample kernel lists a trap entry that the timer's interrupts come inside of, and not their
 * own, and records after two ticks. GATE of the linker's command line is 0 for a kernel that does
 * not say where its entries are. Linked in front of pitot_init and pitot_start (port.mk) for
 * tests/boot/ports_c.t.
 */
#include "ports/c/kernel.h"

#include "pitot.h"

extern const char GATE[], outer_served[];

const char *__wrap_pitot_init(const struct pitot_kernel *kernel);
const char *__real_pitot_init(const struct pitot_kernel *kernel);
const char *__wrap_pitot_start(const char *options);
const char *__real_pitot_start(const char *options);
void outer_serve(void);

const char *__wrap_pitot_init(const struct pitot_kernel *kernel)
{
    static const void *const trap = outer_served;
    struct pitot_kernel with = *kernel;

    with.traps = &trap;
    with.trap_count = 1;
    if ((uint64_t)GATE != 1)
        with.gate = with.gate_end = 0;
    return __real_pitot_init(&with);
}

/* Has a frame, which gcc leaves out of a function without calls unless it is asked for. */
void outer_serve(void)
{
    for (uint64_t before = ticks; *(volatile uint64_t *)&ticks < before + 2;)
        __asm__ volatile("hlt" : : "r"(__builtin_frame_address(0)));
}

const char *__wrap_pitot_start(const char *options)
{
    __asm__ volatile("call outer_serve\n"
                     "outer_served:"
                     :
                     :
                     : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory", "cc");
    return __real_pitot_start(options);
}
