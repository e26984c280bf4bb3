/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sample kernel polls gdb's line on a stack of its own, and prints at the end how much of it a
 * poll used at most, with gdb's stop in it. gdb's first byte is for that poll. Linked in front of
 * pitot_gdb_poll, gdb_get and record_end (port.mk) for tests/boot/ports_gdb.t.
 */
#include "ports/c/kernel.h"

#include "pitot.h"

#define PAINT 0xa5

static uint8_t area[16384] __attribute__((aligned(16)));
static uint64_t most;
static int polls, has_come; /* in a poll; a poll has read a byte */

int __wrap_pitot_gdb_poll(void *frame);
int __real_pitot_gdb_poll(void *frame);
int __wrap_gdb_get(void);
int __real_gdb_get(void);
void __wrap_record_end(void);
void __real_record_end(void);

/* rbx keeps the kernel's own stack pointer. */
int __wrap_pitot_gdb_poll(void *frame)
{
    const uint8_t *lowest = area;
    uint64_t stopped;

    memset(area, PAINT, sizeof(area));
    polls = 1;
    __asm__ volatile("movq %%rsp, %%rbx\n\tmovq %2, %%rsp\n\tcall __real_pitot_gdb_poll\n\t"
                     "movq %%rbx, %%rsp"
                     : "=a"(stopped), "+D"(frame)
                     : "r"(area + sizeof(area))
                     : "rbx", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "memory", "cc");
    polls = 0;
    while (lowest < area + sizeof(area) && *lowest == PAINT)
        lowest++;
    if ((uint64_t)(area + sizeof(area) - lowest) > most)
        most = (uint64_t)(area + sizeof(area) - lowest);
    return (int)stopped;
}

int __wrap_gdb_get(void)
{
    int byte = polls || has_come ? __real_gdb_get() : -1;

    has_come |= byte >= 0;
    return byte;
}

void __wrap_record_end(void)
{
    say("stack: ");
    say_number(most);
    say(" bytes\n");
    __real_record_end();
}
