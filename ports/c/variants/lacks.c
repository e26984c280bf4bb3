/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sample kernel first gives Pitot too little, one member after the other, and prints each
 * refusal. Linked in front of pitot_init (port.mk) for tests/boot/ports_c.t.
 */
#include "ports/c/kernel.h"

#include "pitot.h"

const char *__wrap_pitot_init(const struct pitot_kernel *kernel);
const char *__real_pitot_init(const struct pitot_kernel *kernel);

static void try(const struct pitot_kernel *kernel)
{
    const char *why = __real_pitot_init(kernel);

    say("without it: ");
    say(why ? why : "nothing is missing");
    say("\n");
}

const char *__wrap_pitot_init(const struct pitot_kernel *kernel)
{
    struct pitot_kernel with = *kernel;

    with.clock = 0;
    try(&with);
    with.clock = kernel->clock;
    with.panic = 0;
    try(&with);
    with.panic = kernel->panic;
    with.write = 0;
    try(&with);
    with.write = kernel->write;
    with.cpu = 0;
    try(&with);
    with.cpu = kernel->cpu;
    with.interrupt_others = 0;
    try(&with);
    with.interrupt_others = kernel->interrupt_others;
    with.frame = 0;
    try(&with);
    with.frame = "r15 r14 r13 r12 r11 r10 r9 r8 bp di si dx cx bx ax ip cs flags sp";
    try(&with);
    with.frame = "r15 ebp";
    try(&with);
    return __real_pitot_init(kernel);
}
