/* SPDX-License-Identifier: BSD-2-Clause */
/* See registers.h. */
#include "outside/plugin/registers.h"

#include <assert.h>
#include <string.h>

#include "outside/plugin/api.h"
#include "outside/plugin/follow.h"

#if QEMU_API >= 4
#define SPACE     WIRE_REGISTERS_COUNT /* indices of cr3 and rflags */
#define FLAGS     (WIRE_REGISTERS_COUNT + 1)
#define ALL       (WIRE_REGISTERS_COUNT + 2)
#define CR3_FLAGS 0xfffu

/* QEMU's names, which are gdb's, in the order of struct wire_registers; then cr3, and rflags. */
static const char names[ALL][8] = {
    "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp", "rip",    "r8",
    "r9",  "r10", "r11", "r12", "r13", "r14", "r15", "cr3", "eflags",
};

/* The order in which instructions number them. */
static const uint8_t general[] = {0, 2, 3, 1, 7, 6, 4, 5, 9, 10, 11, 12, 13, 14, 15, 16};

static struct cpu {
    bool begun;
    bool found[ALL]; /* a handle may be NULL */
    struct qemu_plugin_register *handles[ALL];
    GByteArray *bytes;
} cpus[FOLLOW_CPUS + 1]; /* the last one: REGISTERS_NO_CPU */

static GByteArray *bytes_of(struct cpu *cpu)
{
    if (__builtin_expect(!cpu->bytes, 0))
        cpu->bytes = g_byte_array_new();
    return cpu->bytes;
}

static struct cpu *find_registers(unsigned number)
{
    struct cpu *cpu = &cpus[number];
    const qemu_plugin_reg_descriptor *registers;
    const GArray *all;

    if (__builtin_expect(cpu->begun, 1))
        return cpu;
    cpu->begun = true;
    all = qemu_plugin_get_registers();
    registers = (const void *)all->data;
    for (unsigned i = 0; i < ALL; i++)
        for (unsigned j = 0; j < all->len; j++)
            if (strcmp(registers[j].name, names[i]) == 0)
                cpu->found[i] = true, cpu->handles[i] = registers[j].handle;
    return cpu;
}

static bool read_register(unsigned number, unsigned index, uint64_t *to)
{
    struct cpu *cpu = find_registers(number);
    GByteArray *bytes;

    *to = 0;
    bytes = g_byte_array_set_size(bytes_of(cpu), 0);
    if (!cpu->found[index])
        return false;
    qemu_plugin_read_register(cpu->handles[index], bytes);
    if (bytes->len != (index == FLAGS ? sizeof(uint32_t) : sizeof(*to)))
        return false;
    memcpy(to, bytes->data, bytes->len);
    return true;
}

bool registers_read(unsigned cpu, uint64_t ip, uint64_t to[WIRE_REGISTERS_COUNT])
{
    bool read = true;

    for (unsigned i = 0; i < WIRE_REGISTERS_COUNT; i++)
        read = read_register(cpu, i, &to[i]) && read;
    to[WIRE_REGISTERS_IP] = ip;
    return read;
}

uint64_t registers_general(unsigned cpu, unsigned number)
{
    uint64_t value;

    read_register(cpu, general[number], &value);
    return value;
}

void registers_set_general(unsigned number, unsigned index, uint64_t value)
{
    struct cpu *cpu = find_registers(number);
    GByteArray *bytes = g_byte_array_set_size(bytes_of(cpu), sizeof(value));

    memcpy(bytes->data, &value, sizeof(value));
    if (cpu->found[general[index]])
        qemu_plugin_write_register(cpu->handles[general[index]], bytes);
}

static unsigned argument_register(uint64_t number)
{
    static const uint8_t registers[] = {7, 6, 2, 1, 8, 9}; /* rdi rsi rdx rcx r8 r9 */

    assert(number > 0 && number <= sizeof(registers));
    return registers[number - 1];
}

uint64_t registers_argument(unsigned cpu, uint64_t number)
{
    return registers_general(cpu, argument_register(number));
}

void registers_set_argument(unsigned cpu, uint64_t number, uint64_t value)
{
    registers_set_general(cpu, argument_register(number), value);
}

uint64_t registers_flags(unsigned cpu)
{
    uint64_t value;

    read_register(cpu, FLAGS, &value);
    return value;
}

void registers_continue_at(uint64_t ip)
{
    qemu_plugin_set_pc(ip);
}

bool registers_can_change(void)
{
    return qemu_plugin_write_register;
}

bool registers_can_skip(void)
{
    return qemu_plugin_set_pc;
}

uint64_t registers_space(unsigned cpu)
{
    uint64_t value;

    read_register(cpu, SPACE, &value);
    return value & ~(uint64_t)CR3_FLAGS;
}

bool registers_memory(unsigned cpu, uint64_t address, void *to, size_t size)
{
    GByteArray *bytes = bytes_of(&cpus[cpu]);

    g_byte_array_set_size(bytes, 0);
    if (!qemu_plugin_read_memory_vaddr(address, bytes, size) || bytes->len != size)
        return false;
    memcpy(to, bytes->data, size);
    return true;
}

bool registers_physical(uint64_t address, void *to, size_t size)
{
    GByteArray *bytes = bytes_of(&cpus[REGISTERS_NO_CPU]);

    if (!qemu_plugin_read_memory_hwaddr ||
        qemu_plugin_read_memory_hwaddr(address, bytes, size) != 0 || bytes->len != size)
        return false;
    memcpy(to, bytes->data, size);
    return true;
}
#else
bool registers_read(unsigned cpu, uint64_t ip, uint64_t to[WIRE_REGISTERS_COUNT])
{
    (void)cpu;
    (void)ip;
    (void)to;
    return false;
}

uint64_t registers_general(unsigned cpu, unsigned number)
{
    (void)cpu;
    (void)number;
    return 0;
}

uint64_t registers_argument(unsigned cpu, uint64_t number)
{
    (void)cpu;
    (void)number;
    return 0;
}

void registers_set_argument(unsigned cpu, uint64_t number, uint64_t value)
{
    (void)cpu;
    (void)number;
    (void)value;
}

uint64_t registers_flags(unsigned cpu)
{
    (void)cpu;
    return 0;
}

void registers_set_general(unsigned cpu, unsigned number, uint64_t value)
{
    (void)cpu;
    (void)number;
    (void)value;
}

void registers_continue_at(uint64_t ip)
{
    (void)ip;
}

bool registers_can_change(void)
{
    return false;
}

bool registers_can_skip(void)
{
    return false;
}

bool registers_memory(unsigned cpu, uint64_t address, void *to, size_t size)
{
    (void)cpu;
    (void)address;
    (void)to;
    (void)size;
    return false;
}

bool registers_physical(uint64_t address, void *to, size_t size)
{
    (void)address;
    (void)to;
    (void)size;
    return false;
}
#endif
