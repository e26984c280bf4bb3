/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptor tables, GS, interrupt controller, timer and serial lines. Boot; traps. */
#include "ports/c/kernel.h"

#include "pitot.h"

#define COM1      0x3f8
#define EXIT_PORT 0xf4
#define GATES     48
#define CODE      0x18
#define TASK      0x28
#define GS_BASE   0xc0000101
#define PIT_HZ    1193182
#define TICK_HZ   1000

struct __attribute__((packed)) gate {
    uint16_t low, selector;
    uint8_t stack, type;
    uint16_t middle;
    uint32_t high, none;
};

static struct gate idt[GATES];
static struct __attribute__((packed)) task {
    uint32_t none;
    uint64_t sp[3], none_either, ist[7], more;
    uint16_t last, io;
} tasks[CPUS];

extern uint64_t gdt[];
_Static_assert(CPUS <= 2, "boot.S has room for two");

PITOT_TRACEPOINT(shop, tick, 1, PITOT_FIELD(u64, ticks, "%lu")); /* PITOT */

struct cpu cpus[CPUS];
uint64_t ticks;

void port_write(uint16_t port, uint8_t value)
{
    __asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

uint8_t port_read(uint16_t port)
{
    uint8_t value;

    __asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"(port));
    return value;
}

uint64_t cpu_cycles(void)
{
    uint32_t low, high;

    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}

void serial_write(uint16_t port, const void *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        while (!(port_read(port + 5) & 0x20)) {
        }
        port_write(port, ((const uint8_t *)bytes)[i]);
    }
}

void say(const char *text)
{
    size_t length = 0;

    while (text[length])
        length++;
    serial_write(COM1, text, length);
}

void say_number(uint64_t number)
{
    char digit = (char)('0' + number % 10);

    if (number >= 10)
        say_number(number / 10);
    serial_write(COM1, &digit, 1);
}

void stop_machine(int status)
{
    port_write(EXIT_PORT, (uint8_t)status);
    for (;;)
        __asm__ volatile("cli; hlt");
}

/* Called by trap_common, interrupts off. */
void trap_serve(struct trap_frame *frame)
{
    if (frame->vector == TIMER_VECTOR) {
        ticks++;
        PITOT_TRACE(tick, ticks); /* PITOT */
        pitot_tick(frame);        /* PITOT 2 */
        pitot_gdb_poll(frame);    /* PITOT 5 */
        port_write(0x20, 0x20);
        return;
    }
    if (frame->vector == STAND_VECTOR) {
        pitot_stand(frame); /* PITOT 3 */
        others_served();
        return;
    }
    pitot_gdb_stop(frame); /* PITOT 5 */
    say("trap ");
    say_number(frame->vector);
    say(" at ");
    say_number(frame->ip);
    say("\n");
    stop_machine(9);
}

static void make_gate(unsigned vector, uint64_t to)
{
    idt[vector] =
        (struct gate){(uint16_t)to, CODE, 0, 0x8e, (uint16_t)(to >> 16), (uint32_t)(to >> 32), 0};
}

static void load_tables(uint32_t number)
{
    struct __attribute__((packed)) {
        uint16_t last;
        uint64_t base;
    } pointer = {sizeof(idt) - 1, (uint64_t)idt};
    uint64_t base = (uint64_t)&tasks[number], *descriptor = &gdt[TASK / 8 + 2 * number];

    __asm__ volatile("lidt %0" : : "m"(pointer));
    descriptor[0] = (sizeof(struct task) - 1) | (base & 0xffffff) << 16 | 0x89ull << 40 |
                    (base >> 24 & 0xff) << 56;
    descriptor[1] = base >> 32;
    __asm__ volatile("ltr %w0" : : "r"(TASK + 16 * number));
}

/* The controllers' lines begin at vectors 32 and 40; all but the timer's are masked. */
static void start_timer(void)
{
    static const uint8_t words[][2] = {{0x20, 0x11},
                                       {0xa0, 0x11},
                                       {0x21, 32},
                                       {0xa1, 40},
                                       {0x21, 4},
                                       {0xa1, 2},
                                       {0x21, 1},
                                       {0xa1, 1},
                                       {0x21, 0xfe},
                                       {0xa1, 0xff},
                                       {0x43, 0x34},
                                       {0x40, PIT_HZ / TICK_HZ & 0xff},
                                       {0x40, PIT_HZ / TICK_HZ >> 8}};

    for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        port_write(words[i][0], words[i][1]);
}

static void init_one(uint32_t number)
{
    struct cpu *self = &cpus[number];
    uint64_t base = (uint64_t)self;

    *self = (struct cpu){.number = number, .self = self};
    load_tables(number);
    __asm__ volatile("wrmsr" : : "c"(GS_BASE), "a"((uint32_t)base), "d"((uint32_t)(base >> 32)));
}

void other_init(uint32_t number)
{
    init_one(number);
    this_cpu()->current = THREADS + number - 1;
    __asm__ volatile("sti");
}

void cpu_init(void)
{
    for (unsigned vector = 0; vector < GATES; vector++)
        make_gate(vector, (uint64_t)trap_table + 16 * vector);
    init_one(0);
    start_timer();
    __asm__ volatile("sti");
}
