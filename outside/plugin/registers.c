/* SPDX-License-Identifier: BSD-2-Clause */
/* See registers.h. */
#include "outside/plugin/registers.h"

#include <string.h>

#include "outside/plugin/api.h"

#if QEMU_API >= 4
/* QEMU's names, which are gdb's. */
static const char names[WIRE_REGISTERS_COUNT][4] = {
    "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp", "rip",
    "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15",
};

static struct qemu_plugin_register *handles[WIRE_REGISTERS_COUNT];
static bool found[WIRE_REGISTERS_COUNT]; /* a handle may be NULL */
static GByteArray *bytes;

/* The handles are the same for all CPUs. */
static void find_registers(void)
{
    const GArray *all = qemu_plugin_get_registers();
    const qemu_plugin_reg_descriptor *registers = (const void *)all->data;

    bytes = g_byte_array_new();
    for (unsigned i = 0; i < WIRE_REGISTERS_COUNT; i++)
        for (unsigned j = 0; j < all->len; j++)
            if (strcmp(registers[j].name, names[i]) == 0)
                found[i] = true, handles[i] = registers[j].handle;
}

static bool read_register(unsigned number, uint64_t *to)
{
    g_byte_array_set_size(bytes, 0);
    if (!found[number])
        return false;
    qemu_plugin_read_register(handles[number], bytes);
    if (bytes->len != sizeof(*to))
        return false;
    memcpy(to, bytes->data, sizeof(*to));
    return true;
}

bool registers_read(uint64_t ip, uint64_t to[WIRE_REGISTERS_COUNT])
{
    bool read = true;

    if (!bytes)
        find_registers();
    for (unsigned i = 0; i < WIRE_REGISTERS_COUNT; i++)
        read = read_register(i, &to[i]) && read;
    to[WIRE_REGISTERS_IP] = ip;
    return read;
}
#else
bool registers_read(uint64_t ip, uint64_t to[WIRE_REGISTERS_COUNT])
{
    (void)ip;
    (void)to;
    return false;
}
#endif
