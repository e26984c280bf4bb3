/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What debug information (DWARF, libdw) says of functions and symbols do not (heap.h): a
 * compiler may put a function's code into its callers, who then call nothing, and may leave out
 * arguments that are not needed.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "outside/pitot/array.h"
#include "outside/pitot/elf_symbols.h"
#include "outside/pitot/files.h"
#include "outside/pitot/heap.h"
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

static bool is_named(Dwarf_Die *die, const char *name)
{
    const char *is = dwarf_diename(die);

    return is && strcmp(is, name) == 0;
}

/* Where the member begins; false: the structure has none of that name. */
static bool find_member(Dwarf_Die *of, const char *name, Dwarf_Word *offset)
{
    Dwarf_Attribute attribute;
    Dwarf_Die die;

    if (dwarf_child(of, &die) != 0)
        return false;
    do {
        if (dwarf_tag(&die) == DW_TAG_member && is_named(&die, name))
            return dwarf_formudata(dwarf_attr(&die, DW_AT_data_member_location, &attribute),
                                   offset) == 0;
    } while (dwarf_siblingof(&die, &die) == 0);
    return false;
}

static enum inlining_layout layout_of(Dwarf_Die *argument)
{
    Dwarf_Attribute attribute;
    Dwarf_Die type;
    Dwarf_Word size, align;

    if (!dwarf_formref_die(dwarf_attr_integrate(argument, DW_AT_type, &attribute), &type) ||
        !is_named(&type, "Layout") || dwarf_bytesize(&type) != 16 ||
        !find_member(&type, "size", &size) || !find_member(&type, "align", &align))
        return LAYOUT_NOT_KNOWN;
    return size < align ? LAYOUT_SIZE_FIRST : LAYOUT_SIZE_LAST;
}

/* The layout of its first argument that is one. */
static enum inlining_layout find_layout(Dwarf_Die *function)
{
    enum inlining_layout layout = LAYOUT_NOT_KNOWN;
    Dwarf_Die die;

    if (dwarf_child(function, &die) != 0)
        return layout;
    do {
        if (dwarf_tag(&die) == DW_TAG_formal_parameter)
            layout = layout_of(&die);
    } while (layout == LAYOUT_NOT_KNOWN && dwarf_siblingof(&die, &die) == 0);
    return layout;
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
        function->layout = find_layout(die);
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
