/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sample kernel first gives Pitot too little, one member after the other, and prints each
 * refusal. Linked in front of pitot_init (port.mk) for tests/boot/ports_c.t.
 */
#include "ports/c/kernel.h"

#include "pitot.h"

#define NO_PORT     0x2e8
#define NOT_ENABLED 0x10400 /* DR7: register 0 would watch writes */

const char *__wrap_pitot_init(const struct pitot_kernel *kernel);
const char *__real_pitot_init(const struct pitot_kernel *kernel);

static void try(const struct pitot_kernel *kernel)
{
    const char *why = __real_pitot_init(kernel);

    say("without it: ");
    say(why ? why : "nothing is missing");
    say("\n");
}

static void *take(unsigned long bytes, const char **why)
{
    (void)bytes;
    *why = "none is left";
    return 0;
}

/* They are the kernel's as long as Pitot has not begun. */
static void use_debug_registers(void)
{
    struct trap_frame frame = {.cs = 0};
    uint64_t set = NOT_ENABLED, now;

    __asm__ volatile("movq %0, %%dr7" : : "r"(set));
    say(pitot_debug_trap(&frame) ? "Pitot's" : "not Pitot's");
    __asm__ volatile("movq %%dr7, %0" : "=r"(now));
    say(now == set ? ", DR7 is as it was\n" : ", DR7 has changed\n");
}

const char *__wrap_pitot_init(const struct pitot_kernel *kernel)
{
    static const void *const other = text_end;
    static const struct pitot_call calls[] = {{.number = 2, .name = "open"},
                                              {.number = 0, .name = "read"}};
    static const struct pitot_call seven = {
        .name = "mmap", .argument = {[PITOT_CALL_ARGUMENTS] = {.name = "seventh"}}};
    struct pitot_kernel with = *kernel;

    with.panic = 0;
    try(&with);
    with.panic = kernel->panic;
    with.write_port = 0;
    try(&with);
    with.write_port = NO_PORT;
    try(&with);
    with.write_port = kernel->write_port;
    with.cpu = 0;
    try(&with);
    with.cpu = kernel->cpu;
    with.interrupt_others = 0;
    try(&with);
    with.interrupt_others = kernel->interrupt_others;
    with.memory_take = take;
    try(&with);
    with.memory_take = 0;
    with.call_count = 2;
    try(&with);
    with.calls = calls;
    try(&with);
    with.call_count = 65;
    try(&with);
    with.calls = &seven;
    with.call_count = 1;
    try(&with);
    with.call_count = 0;
    with.trap_count = 1;
    try(&with);
    with.traps = &other;
    with.frame = 0;
    try(&with);
    with.frame = "r15 r14 r13 r12 r11 r10 r9 r8 bp di si dx cx bx ax ip cs flags sp";
    try(&with);
    with.frame = "r15 ebp";
    try(&with);
    with.frame = "r15 r14 r13 r12 r11 r10 r9 r8 bp di si dx cx bx ax ax - ip cs flags sp ss";
    try(&with);
    with.frame = "r15 r14 r13 r12 r11 r10 r9 r8 bp di si dx cx bx ax - - ss sp flags cs ip";
    try(&with);
    use_debug_registers();
    if (!__real_pitot_init(kernel))
        try(kernel);
    return 0;
}
