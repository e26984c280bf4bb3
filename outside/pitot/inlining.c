/* SPDX-License-Identifier: BSD-2-Clause */
/* See inlining.h. */
#include "outside/pitot/inlining.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "outside/pitot/array.h"
#include "outside/pitot/elf_symbols.h"
#include "outside/pitot/input.h"
#include "outside/pitot/progress.h"

struct reading {
    struct inlining *first;
    size_t count, size;
    bool (*is_own)(uint64_t address, const void *own);
    const void *own;
    struct named {
        const char *name;
        struct inlining *function;
    } * names; /* as the linker knows them */
    size_t name_count, name_room;
};

static struct inlining *function_of(const struct reading *reading, size_t index)
{
    return (void *)((char *)reading->first + index * reading->size);
}

/* A function may have several names. */
static void read_names(struct reading *reading)
{
    struct symbol symbol;

    for (size_t i = 0; elf_symbols_function(i, &symbol); i++)
        for (size_t of = 0; of < reading->count && !elf_symbols_is_readable(&symbol); of++) {
            struct inlining *function = function_of(reading, of);

            if (function->entry != symbol.address)
                continue;
            if (array_grow(&reading->names, &reading->name_room, reading->name_count + 1,
                           sizeof(*reading->names), "names", NULL))
                return;
            reading->names[reading->name_count++] = (struct named){symbol.name, function};
        }
}

/* The name that the linker knows. */
static const char *name_of(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));

    return name ? name : dwarf_diename(die);
}

static bool find_address(Dwarf_Die *die, uint64_t *address)
{
    Dwarf_Addr base, end;

    return dwarf_entrypc(die, address) == 0 || dwarf_ranges(die, 0, &base, address, &end) > 0;
}

static void take_function(const struct reading *reading, Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    Dwarf_Word convention = DW_CC_normal;
    uint64_t entry;

    if (!find_address(die, &entry))
        return;
    for (size_t i = 0; i < reading->count; i++) {
        struct inlining *function = function_of(reading, i);

        if (function->entry != entry)
            continue;
        function->described = true;
        dwarf_formudata(dwarf_attr_integrate(die, DW_AT_calling_convention, &attribute),
                        &convention);
        function->changed = convention == DW_CC_nocall;
    }
}

static void take_copy(const struct reading *reading, Dwarf_Die *die)
{
    const char *name = name_of(die);
    uint64_t address;

    if (!name)
        return;
    for (size_t i = 0; i < reading->name_count; i++)
        if (strcmp(reading->names[i].name, name) == 0 && find_address(die, &address) &&
            !reading->is_own(address, reading->own) && reading->names[i].function->copies++ == 0)
            reading->names[i].function->copy = address;
}

/* What may have code in it. */
static bool is_open(int tag)
{
    return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine ||
           tag == DW_TAG_lexical_block || tag == DW_TAG_namespace || tag == DW_TAG_structure_type ||
           tag == DW_TAG_class_type;
}

static void read_children(const struct reading *reading, Dwarf_Die *of)
{
    Dwarf_Die die;

    if (dwarf_child(of, &die) != 0)
        return;
    do {
        int tag = dwarf_tag(&die);

        if (tag == DW_TAG_subprogram)
            take_function(reading, &die);
        else if (tag == DW_TAG_inlined_subroutine)
            take_copy(reading, &die);
        if (is_open(tag))
            read_children(reading, &die);
    } while (dwarf_siblingof(&die, &die) == 0);
}

void inlining_read(const struct kernel *kernel, struct inlining *first, size_t count, size_t size,
                   bool (*is_own)(uint64_t address, const void *own), const void *own)
{
    struct reading reading = {
        .first = first, .count = count, .size = size, .is_own = is_own, .own = own};
    struct refusal why;
    int file = input_open_file(kernel->path, "", &why);
    Dwarf *dwarf = file < 0 ? NULL : dwarf_begin(file, DWARF_C_READ);
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;
    uint64_t units = 0;

    read_names(&reading);
    progress_begin("reads debug information", 0, "units");
    while (dwarf && dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0) {
        progress_at(++units);
        read_children(&reading, &die);
    }
    progress_end();
    dwarf_end(dwarf);
    free(reading.names);
    if (file >= 0)
        close(file);
}
