/* SPDX-License-Identifier: BSD-2-Clause */
/* See fake_gdb_target.h. */
#include "tests/unit/fake_gdb_target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fake_gdb fake_gdb;

void fake_gdb_reset(void)
{
    memset(&fake_gdb, 0, sizeof(fake_gdb));
    for (unsigned i = 0; i < FAKE_MEMORY_SIZE; i++)
        fake_gdb.memory[i] = (uint8_t)i;
}

/* The server must only request what exists. */
static void must(bool condition)
{
    if (condition)
        return;
    fprintf(stderr, "not so: the server asks for what there is\n");
    abort();
}

static unsigned cpus(void)
{
    return 3;
}

static bool cpu_is_there(unsigned cpu)
{
    must(cpu < 3);
    return cpu != 1;
}

static void cpu_describe(unsigned cpu, char *text, size_t size)
{
    must(cpu_is_there(cpu));
    snprintf(text, size, "thread <%u>", cpu);
}

static unsigned registers(void)
{
    return FAKE_GDB_REGISTERS;
}

static size_t register_size(unsigned number)
{
    must(number < FAKE_GDB_REGISTERS);
    return number == 3 ? 4 : number == 4 ? 10 : 8;
}

static bool register_read(unsigned cpu, unsigned number, uint8_t *bytes)
{
    must(cpu_is_there(cpu));
    if (number == 4)
        return false;
    memcpy(bytes, &fake_gdb.registers[cpu][number], register_size(number));
    return true;
}

static int register_write(unsigned cpu, unsigned number, const uint8_t *bytes, struct refusal *why)
{
    must(cpu_is_there(cpu));
    if (number >= 3)
        return refuse(why, EPERM, "register %u stays as it is", number);
    memcpy(&fake_gdb.registers[cpu][number], bytes, register_size(number));
    return 0;
}

static size_t memory_read(uint64_t address, uint8_t *to, size_t length)
{
    uint64_t at = address - FAKE_MEMORY;
    size_t count = 0;

    for (; count < length && at + count < FAKE_MEMORY_SIZE; count++)
        to[count] = fake_gdb.memory[at + count];
    return count;
}

static int memory_write(uint64_t address, const uint8_t *from, size_t length, struct refusal *why)
{
    uint64_t at = address - FAKE_MEMORY, end = FAKE_MEMORY_SIZE - FAKE_READ_ONLY;

    if (at > end || length > end - at)
        return refuse(why, EFAULT, "0x%llx cannot be written", (unsigned long long)address);
    memcpy(&fake_gdb.memory[at], from, length);
    fake_gdb.writes++;
    return 0;
}

static int point_refuse(enum gdb_point kind, uint64_t address, struct refusal *why)
{
    must(kind < GDB_POINT_KINDS);
    return address >= FAKE_FORBIDDEN ? refuse(why, EPERM, "held by perf lock:*") : 0;
}

static int point_set(enum gdb_point kind, uint64_t address, uint64_t length, struct refusal *why)
{
    int error = point_refuse(kind, address, why);

    if (error)
        return error;
    if (address == FAKE_NOTED)
        refuse(why, 0, "seldom hit");
    if (fake_gdb.point_count < FAKE_POINTS_MAX)
        fake_gdb.points[fake_gdb.point_count++] = (struct fake_point){kind, address, length};
    return 0;
}

static void point_clear(enum gdb_point kind, uint64_t address, uint64_t length)
{
    for (unsigned i = 0; i < fake_gdb.point_count; i++)
        if (fake_gdb.points[i].kind == kind && fake_gdb.points[i].address == address &&
            fake_gdb.points[i].length == length)
            fake_gdb.points[i] = fake_gdb.points[--fake_gdb.point_count];
}

static int point_change(bool set, enum gdb_point kind, uint64_t address, uint64_t length,
                        struct refusal *why)
{
    if (set)
        return point_set(kind, address, length, why);
    point_clear(kind, address, length);
    return 0;
}

static void points_clear(void)
{
    fake_gdb.point_count = 0;
}

static const unsigned expedited[] = {1};

const struct gdb_target fake_gdb_target = {
    .cpus = cpus,
    .cpu_is_there = cpu_is_there,
    .cpu_describe = cpu_describe,
    .description = "<target>a#b$c*d}e</target>",
    .registers = registers,
    .register_size = register_size,
    .expedited = expedited,
    .expedited_count = 1,
    .register_read = register_read,
    .register_write = register_write,
    .memory_read = memory_read,
    .memory_write = memory_write,
    .point_refuse = point_refuse,
    .point_change = point_change,
    .points_clear = points_clear,
};

static int line_get(void)
{
    return fake_gdb.heard < fake_gdb.said_length ? fake_gdb.said[fake_gdb.heard++] : -1;
}

/* Bytes that do not fit are dropped: no test reads that many. */
static void line_put(const char *bytes, size_t length)
{
    if (length <= sizeof(fake_gdb.told) - 1 - fake_gdb.told_length) {
        memcpy(&fake_gdb.told[fake_gdb.told_length], bytes, length);
        fake_gdb.told_length += length;
    }
}

const struct gdb_line fake_gdb_line = {.get = line_get, .put = line_put};
