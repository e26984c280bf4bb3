/* SPDX-License-Identifier: BSD-2-Clause */
/* See proof_interrupts.h. */
#include "tests/kernel/proof_interrupts.h"

#include "arch/x86_64/cpu.h"
#include "arch/x86_64/paging.h"
#include "arch/x86_64/port.h"
#include "arch/x86_64/sections.h"
#include "arch/x86_64/vectors.h"
#include "core/memory/pages.h"

#define CPUID_1_EDX_APIC (1u << 9)
#define APIC_PHYSICAL    0xfee00000ull
#define PTE_UNCACHED     (1ull << 4)
#define TABLES           3 /* below the root */

/* Registers, by their offsets in the page. */
#define APIC_ID           0x20
#define APIC_END          0xb0
#define APIC_SPURIOUS     0xf0
#define APIC_COMMAND      0x300
#define APIC_COMMAND_HIGH 0x310

#define APIC_ENABLED   (1u << 8)
#define COMMAND_SELF   (1u << 18) /* shorthand, for fixed interrupts only */
#define COMMAND_ASSERT (1u << 14)
#define COMMAND_NMI    (4u << 8)

#define MASTER_DATA 0x21
#define SLAVE_DATA  0xa1

bool nmi_take(volatile uint32_t *command_register, uint32_t command); /* proof_nmi.asm */
_Noreturn void nmi_leave(void);

static char *tables;        /* pages for what paging lacks on the way down to the APIC's page */
static uint64_t *own_entry; /* the topmost that we have made */
static uint32_t spurious_before;
static uint8_t masked_before[2];

static volatile uint32_t *apic(unsigned offset)
{
    return (volatile uint32_t *)((char *)direct_address(APIC_PHYSICAL) + offset);
}

/* Into the map of all memory. False: something else is there. */
static bool apic_map(void)
{
    uintptr_t address = (uintptr_t)direct_address(APIC_PHYSICAL);
    uint64_t *table = direct_address(cpu_read_cr3() & PTE_ADDRESS);
    char *free_table = tables;

    own_entry = NULL;
    for (unsigned shift = 39;; shift -= 9) {
        uint64_t *entry = &table[address >> shift & 511];

        if (*entry & (shift > 12 ? PTE_LARGE : PTE_PRESENT))
            return false;
        if (!(*entry & PTE_PRESENT) && !own_entry)
            own_entry = entry;
        if (shift == 12) {
            *entry = APIC_PHYSICAL | PTE_PRESENT | PTE_WRITABLE | PTE_UNCACHED | PTE_NX;
            return true;
        }
        if (!(*entry & PTE_PRESENT)) {
            *entry = direct_physical(free_table) | PTE_PRESENT | PTE_WRITABLE;
            free_table += PAGE_SIZE;
        }
        table = direct_address(*entry & PTE_ADDRESS);
    }
}

static void apic_unmap(void)
{
    if (own_entry)
        *own_entry = 0;
    cpu_write_cr3(cpu_read_cr3()); /* no entry of ours is a global one */
    pages_free(tables, pages_order(TABLES));
}

static void lines_mask(void)
{
    masked_before[0] = port_read8(MASTER_DATA);
    masked_before[1] = port_read8(SLAVE_DATA);
    port_write8(MASTER_DATA, 0xff);
    port_write8(SLAVE_DATA, 0xff);
}

bool interrupts_prepare(trap_handler *nmi)
{
    if (!(cpu_id(1, 0).edx & CPUID_1_EDX_APIC))
        return false;
    tables = pages_alloc(pages_order(TABLES));
    if (!tables)
        return false;
    if (!apic_map()) {
        apic_unmap();
        return false;
    }
    lines_mask();
    spurious_before = *apic(APIC_SPURIOUS);
    *apic(APIC_SPURIOUS) = spurious_before | APIC_ENABLED;
    trap_set_handler(VECTOR_NMI, nmi);
    return true;
}

void interrupts_restore(void)
{
    trap_set_handler(VECTOR_NMI, NULL);
    *apic(APIC_SPURIOUS) = spurious_before;
    apic_unmap();
    port_write8(MASTER_DATA, masked_before[0]);
    port_write8(SLAVE_DATA, masked_before[1]);
}

void interrupts_raise(unsigned vector)
{
    *apic(APIC_COMMAND) = COMMAND_SELF | COMMAND_ASSERT | vector;
}

void interrupts_end(void)
{
    *apic(APIC_END) = 0;
}

/* The shorthand for "self" is not for NMIs, so they go by this CPU's number. */
bool interrupts_nmi_now_and_then(void)
{
    const uint32_t command = COMMAND_NMI | COMMAND_ASSERT;

    *apic(APIC_COMMAND_HIGH) = *apic(APIC_ID);
    if (!nmi_take(apic(APIC_COMMAND), command))
        return false;
    *apic(APIC_COMMAND) = command;
    return true;
}

_Noreturn void interrupts_leave_nmi(void)
{
    nmi_leave();
}
