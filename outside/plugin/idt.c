/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The interrupt tables of the machine's CPUs: which code a handler begins at, and its vector. The
 * operand of `lidt` is told; the table is read from memory. Called by facts_values.c. Source: Intel
 * SDM vol. 3, "64-Bit Mode IDT" and "Error Code".
 */
#include "outside/plugin/facts.h"

#if QEMU_API >= 4
#include <string.h>

#include "outside/plugin/follow.h"
#include "outside/plugin/registers.h"
#include "outside/plugin/run.h"

#define VECTORS 256
#define PRESENT 0x80

struct gate {
    uint16_t low, selector;
    uint8_t stack, type;
    uint16_t middle;
    uint32_t high, reserved;
};
_Static_assert(sizeof(struct gate) == 16, "as the CPU reads it");

/* Tables in use: CPUs mostly share one. */
#define TABLES 16
static struct table {
    uint64_t base;
    unsigned vectors;
} tables[TABLES];
static unsigned table_count;
static uint16_t limits[FOLLOW_CPUS]; /* the operand's first half */
static struct table *of_cpu[FOLLOW_CPUS];

void idt_set_limit(unsigned cpu, uint16_t limit)
{
    limits[cpu] = limit;
}

void idt_set_base(unsigned cpu, uint64_t base)
{
    unsigned vectors = (limits[cpu] + 1u) / sizeof(struct gate), i = 0;

    while (i < table_count && tables[i].base != base)
        i++;
    if (i == TABLES) /* the oldest may be a boot loader's */
        i = 0;
    if (i == table_count)
        table_count++;
    tables[i] = (struct table){base, vectors < VECTORS ? vectors : VECTORS};
    of_cpu[cpu] = &tables[i];
}

static uint64_t handler_of(const struct gate *gate)
{
    return gate->low | (uint64_t)gate->middle << 16 | (uint64_t)gate->high << 32;
}

static bool read_table(unsigned cpu, const struct table *table, struct gate gates[VECTORS])
{
    return table->vectors > 0 &&
           registers_memory(cpu, table->base, gates, table->vectors * sizeof(*gates));
}

bool idt_has(uint64_t address)
{
    struct gate gates[VECTORS];

    for (unsigned i = 0; i < table_count; i++)
        if (read_table(REGISTERS_NO_CPU, &tables[i], gates))
            for (unsigned vector = 0; vector < tables[i].vectors; vector++)
                if (gates[vector].type & PRESENT && handler_of(&gates[vector]) == address)
                    return true;
    return false;
}

/* #DF, #TS, #NP, #SS, #GP, #PF, #AC, #CP, #VC, #SX */
static bool vector_has_error(unsigned vector)
{
    return vector == 8 || (vector >= 10 && vector <= 14) || vector == 17 || vector == 21 ||
           vector == 29 || vector == 30;
}

int idt_vector(unsigned cpu, uint64_t entry, bool has_error)
{
    struct gate gates[VECTORS];
    int found = RUN_VECTOR_UNKNOWN;

    if (!of_cpu[cpu] || !read_table(cpu, of_cpu[cpu], gates))
        return RUN_VECTOR_UNKNOWN;
    for (unsigned vector = 0; vector < of_cpu[cpu]->vectors; vector++)
        if (gates[vector].type & PRESENT && handler_of(&gates[vector]) == entry &&
            vector_has_error(vector) == has_error) {
            if (found != RUN_VECTOR_UNKNOWN)
                return RUN_VECTOR_UNKNOWN;
            found = (int)vector;
        }
    return found;
}
#endif
