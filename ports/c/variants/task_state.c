/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sample kernel changes its GDT after `ltr`, as the first word of the options says: the CPU
 * still has its task state, and Pitot does not find it. Linked in front of pitot_start (port.mk)
 * for tests/boot/ports_c.t.
 */
#include "ports/c/kernel.h"

#include "pitot.h"

#define TASK 0x28

extern uint64_t gdt[];

const char *__wrap_pitot_start(const char *options);
const char *__real_pitot_start(const char *options);

const char *__wrap_pitot_start(const char *options)
{
    struct __attribute__((packed)) {
        uint16_t last;
        uint64_t base;
    } cut = {TASK - 1, (uint64_t)gdt};
    uint64_t *descriptor = &gdt[TASK / 8];

    while (*options == ' ')
        options++;
    if (*options == 'b') /* base */
        descriptor[1] = 0x12345678;
    else if (*options == 'u') /* unmapped */
        descriptor[1] = 0xffffff00;
    else if (*options == 't') /* type: data */
        descriptor[0] = gdt[0x20 / 8];
    else if (*options == 's') /* short */
        descriptor[0] = (descriptor[0] & ~0xffffull) | 0x20;
    else if (*options == 'o') { /* one for all CPUs */
        descriptor[2] = descriptor[0];
        descriptor[3] = descriptor[1];
    } else /* cut */
        __asm__ volatile("lgdt %0" : : "m"(cut));
    while (*options != ' ')
        options++;
    return __real_pitot_start(options);
}
