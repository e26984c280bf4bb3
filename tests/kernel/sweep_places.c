/* SPDX-License-Identifier: BSD-2-Clause */
/* See sweep_places.h. */
#include "tests/kernel/sweep_places.h"

#include "arch/memory.h"
#include "arch/x86_64/cpu/cpu.h"
#include "arch/x86_64/debug/accessor.h"
#include "arch/x86_64/entry/descriptors.h"
#include "arch/x86_64/entry/trap.h"
#include "core/symbols/symbols.h"
#include "kernel/x86_64/entry/stacks.h"
#include "kernel/x86_64/memory/image.h"
#include "kernel/x86_64/memory/paging.h"

#define WORDS_MOST  16 /* of an object; of larger objects this many, evenly spread */
#define PAGE_PLACES 4  /* in a page of a stack */
#define TABLE_WORDS 2  /* of those in use in a page table */
#define ENTRIES     (PAGE_SIZE / sizeof(uint64_t))

static bool overlaps(const struct sweep_place *place, const void *start, const void *end)
{
    return place->address < (uintptr_t)end && place->address + place->length > (uintptr_t)start;
}

/* Uses the linker's own marks, because the test is whether the arbiter knows them. */
static bool is_ordinary(const struct sweep_place *place)
{
    const struct sweep_place at = *place;

    if (place->access == ARCH_EXECUTE)
        return at.address >= (uintptr_t)_text && at.address < (uintptr_t)nowatch_text_start;
    if (overlaps(place, nowatch_data_start, nowatch_data_end) ||
        overlaps(place, nowatch_stacks_start, nowatch_stacks_end) ||
        overlaps(place, stack_task.guard, stack_task.bytes))
        return false;
    return at.address >= (uintptr_t)rodata_start && at.address < (uintptr_t)image_end;
}

static void visit_one(sweep_visit *visit, struct sweep_place place)
{
    place.ordinary |= is_ordinary(&place);
    visit(&place);
}

/* Visits both kinds of data watches; `turn` selects the length. */
static void visit_word(sweep_visit *visit, struct sweep_place place, size_t turn)
{
    static const uint8_t lengths[] = {8, 4, 2, 1};

    place.length = lengths[turn % sizeof(lengths)];
    while (place.address % place.length)
        place.length /= 2;
    place.access = ARCH_WRITE;
    visit_one(visit, place);
    place.access = ARCH_READ_WRITE;
    visit_one(visit, place);
}

/* --- Symbols ---------------------------------------------------------------------------------- */

static bool map_open(struct insn_map *map)
{
    const struct insn_map_expected expected = {
        .build_id = arch_build_id(), .text = (uintptr_t)_text, .text_end = (uintptr_t)_etext};

    return !insn_map_open(map, insn_map_start, (uintptr_t)insn_map_end - (uintptr_t)insn_map_start,
                          &expected);
}

/* The first instruction after the middle of the function. */
static void visit_function(sweep_visit *visit, const struct symbol *symbol,
                           const struct insn_map *map)
{
    struct sweep_place place = {.kind = SWEEP_FUNCTION,
                                .name = symbol->name,
                                .address = symbol->address,
                                .length = 1,
                                .access = ARCH_EXECUTE};
    const uintptr_t end = symbol->address + symbol->size;

    visit_one(visit, place);
    place.kind = SWEEP_INSTRUCTION;
    for (place.address += symbol->size / 2 + 1; place.address < end; place.address++)
        if (insn_map_code(map, place.address) != INSN_INSIDE) {
            visit_one(visit, place);
            return;
        }
}

static void visit_object(sweep_visit *visit, const struct symbol *symbol)
{
    const size_t words = symbol->size / sizeof(uint64_t);
    const size_t stride = words > WORDS_MOST ? words / WORDS_MOST : 1;
    struct sweep_place place = {.kind = SWEEP_DATA, .name = symbol->name};

    if (words == 0) {
        place.address = symbol->address;
        visit_word(visit, place, symbol->size ? 4 - symbol->size / 2 : 3);
        return;
    }
    for (size_t word = 0; word < words; word += stride) {
        place.address = symbol->address + word * sizeof(uint64_t);
        visit_word(visit, place, word / stride);
    }
}

static void visit_symbols(sweep_visit *visit)
{
    struct insn_map map;
    struct symbol symbol;

    if (!map_open(&map))
        map = (struct insn_map){.text_size = 0};
    for (size_t i = 0; symbols_by_name(i, &symbol); i++)
        if (symbol.kind == 't' || symbol.kind == 'T')
            visit_function(visit, &symbol, &map);
        else
            visit_object(visit, &symbol);
}

/* --- Stacks and page tables ------------------------------------------------------------------- */

static void visit_stack(sweep_visit *visit, const char *name, uintptr_t low, uintptr_t high)
{
    struct sweep_place place = {.kind = SWEEP_STACK, .name = name, .ordinary = true};

    for (uintptr_t page = low; page < high; page += PAGE_SIZE)
        for (unsigned i = 0; i < PAGE_PLACES; i++) {
            place.address = page + (i + 1) * PAGE_SIZE / PAGE_PLACES - (2 * i + 1) * 8;
            visit_word(visit, place, i);
        }
}

static void visit_stacks(sweep_visit *visit)
{
    visit_stack(visit, "task", (uintptr_t)stack_task.bytes,
                (uintptr_t)stack_task.bytes + STACK_SIZE);
    for (unsigned slot = 0; slot < ARCH_THREAD_STACKS; slot++)
        if (stack_slots[slot].high)
            visit_stack(visit, "a thread", stack_slots[slot].low, stack_slots[slot].high);
}

/* Visits the table at this physical address, and those below it. */
static void visit_table(sweep_visit *visit, uint64_t physical, unsigned level)
{
    const uint64_t *entries = direct_address(physical);
    struct sweep_place place = {.kind = SWEEP_PAGE_TABLE, .name = "a page table", .ordinary = true};
    unsigned visited = 0;

    for (size_t i = 0; i < ENTRIES; i++) {
        if (!(entries[i] & PTE_PRESENT))
            continue;
        place.address = (uintptr_t)&entries[i];
        if (visited++ < TABLE_WORDS)
            visit_word(visit, place, 0);
        if (level > 1 && !(entries[i] & PTE_LARGE))
            visit_table(visit, entries[i] & PTE_ADDRESS, level - 1);
    }
}

void sweep_places(sweep_visit *visit)
{
    visit_symbols(visit);
    visit_stacks(visit);
    visit_table(visit, cpu_read_cr3() & PTE_ADDRESS, 4);
}

/* --- Places that no breakpoint may watch ------------------------------------------------------ */

struct table_register {
    uint16_t limit;
    uint64_t base;
} __attribute__((packed));

/* "64-Bit Mode IDT": the gate's target. */
static uintptr_t gate_target(const uint8_t *gate)
{
    const uint16_t *parts = (const uint16_t *)gate;

    return parts[0] | (uintptr_t)parts[3] << 16 | (uintptr_t)parts[4] << 32 |
           (uintptr_t)parts[5] << 48;
}

/* "TSS Descriptor in 64-bit Mode" */
static uintptr_t descriptor_base(const uint64_t *descriptor)
{
    return (descriptor[0] >> 16 & 0xffffff) | (descriptor[0] >> 32 & 0xff000000) |
           descriptor[1] << 32;
}

unsigned sweep_forbidden(struct sweep_range *ranges)
{
    struct table_register idt, gdt;
    const uint64_t *ist;
    uint16_t tss;
    uintptr_t tss_base;
    unsigned count = 0;

    __asm__ volatile("sidt %0" : "=m"(idt));
    __asm__ volatile("sgdt %0" : "=m"(gdt));
    __asm__ volatile("str %0" : "=r"(tss));
    tss_base = descriptor_base((const uint64_t *)(gdt.base + tss));
    ranges[count++] = (struct sweep_range){"the IDT", idt.base, idt.limit + 1u};
    ranges[count++] = (struct sweep_range){"the GDT", gdt.base, gdt.limit + 1u};
    ranges[count++] = (struct sweep_range){"the TSS", tss_base, 104};
    ranges[count++] = (struct sweep_range){"the CPU's own area", cpu_read_msr(MSR_GS_BASE),
                                           sizeof(struct percpu)};
    ranges[count++] =
        (struct sweep_range){"the entries of traps", gate_target((const uint8_t *)idt.base),
                             VECTORS * (size_t)TRAP_STUB_SIZE};
    ist = (const uint64_t *)(tss_base + 36);
    for (unsigned i = 0; i < 7; i++)
        if (ist[i])
            ranges[count++] =
                (struct sweep_range){"a stack of trap frames", ist[i] - STACK_SIZE, STACK_SIZE};
    return count;
}
