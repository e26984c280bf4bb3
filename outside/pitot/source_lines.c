/* SPDX-License-Identifier: BSD-2-Clause */
/* See source_lines.h. */
#include "outside/pitot/source_lines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

#include "outside/pitot/array.h"
#include "outside/pitot/files.h"
#include "outside/pitot/plain.h"
#include "outside/pitot/progress.h"

struct reading {
    struct source *source;
    const struct kernel *kernel;
    size_t line_room, function_room;
    unsigned unit;
    bool full; /* out of memory */
};

/* --- Lines --- */

static bool is_code(const struct kernel *kernel, uint64_t address)
{
    for (size_t i = 0; i < kernel->segment_count; i++)
        if (address - kernel->code[i].address < kernel->code[i].size)
            return true;
    return false;
}

static void add_line(struct reading *reading, Dwarf_Line *row, uint64_t end)
{
    struct source *source = reading->source;
    struct source_line line = {.unit = reading->unit};
    const char *path = dwarf_linesrc(row, NULL, NULL);

    if (!path || dwarf_lineaddr(row, &line.first) != 0 || dwarf_lineno(row, &line.line) != 0 ||
        line.line == 0 || !is_code(reading->kernel, line.first))
        return;
    line.end = end > line.first ? end : line.first + 1;
    line.file = source_file(reading->kernel, path);
    if (line.file == source_file_outside)
        return;
    if (!line.file || array_grow(&source->lines, &reading->line_room, source->line_count + 1,
                                 sizeof(line), "lines", NULL))
        reading->full = true;
    else
        source->lines[source->line_count++] = line;
}

/* A row's code ends where the next row begins. */
static void read_lines(struct reading *reading, Dwarf_Die *unit)
{
    Dwarf_Lines *rows;
    size_t count;

    if (dwarf_getsrclines(unit, &rows, &count) != 0)
        return;
    for (size_t i = 0; i + 1 < count && !reading->full; i++) {
        Dwarf_Line *row = dwarf_onesrcline(rows, i);
        Dwarf_Addr end = 0;
        bool ends = false;

        if (dwarf_lineendsequence(row, &ends) != 0 || ends)
            continue;
        dwarf_lineaddr(dwarf_onesrcline(rows, i + 1), &end);
        add_line(reading, row, end);
    }
}

/* --- Functions --- */

/*
 * A function that the compiler split, as into a .cold part, has no first address, but ranges, of
 * which its entry begins the first.
 */
static bool find_entry(Dwarf_Die *die, uint64_t *entry)
{
    Dwarf_Addr base, end;

    return dwarf_entrypc(die, entry) == 0 || dwarf_ranges(die, 0, &base, entry, &end) > 0;
}

static int add_function(Dwarf_Die *die, void *own)
{
    struct reading *reading = own;
    struct source *source = reading->source;
    struct source_function function = {.name = dwarf_diename(die)};
    const char *path = dwarf_decl_file(die);

    if (!path || !function.name || dwarf_decl_line(die, &function.line) != 0 ||
        !find_entry(die, &function.entry) || !is_code(reading->kernel, function.entry))
        return DWARF_CB_OK;
    function.file = source_file(reading->kernel, path);
    if (function.file == source_file_outside)
        return DWARF_CB_OK;
    if (!plain_is(function.name))
        function.name = plain_text(function.name);
    if (!function.file || !function.name ||
        array_grow(&source->functions, &reading->function_room, source->function_count + 1,
                   sizeof(function), "lines", NULL))
        reading->full = true;
    if (reading->full)
        return DWARF_CB_ABORT;
    source->functions[source->function_count++] = function;
    return DWARF_CB_OK;
}

/* --- The whole file --- */

static void read_units(struct reading *reading, Dwarf *dwarf)
{
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;
    uint8_t type;

    while (!reading->full && dwarf_get_units(dwarf, unit, &unit, NULL, &type, &die, NULL) == 0) {
        if (type != DW_UT_compile)
            continue;
        reading->unit++;
        progress_at(reading->source->line_count);
        read_lines(reading, &die);
        dwarf_getfuncs(&die, add_function, reading, 0);
    }
}

int source_read(struct source *source, const struct kernel *kernel, struct refusal *why)
{
    struct reading reading = {.source = source, .kernel = kernel};
    int file =
        input_open_file(kernel->path, "--kernel ELF names the file with line numbers (DWARF)", why);
    Dwarf *dwarf;

    if (file < 0)
        return file;
    *source = (struct source){.line_count = 0};
    dwarf = dwarf_begin(file, DWARF_C_READ); /* stays open: names point into it */
    progress_begin("reads line numbers", 0, "lines");
    if (dwarf)
        read_units(&reading, dwarf);
    progress_end();
    if (reading.full)
        return refuse(why, ENOMEM, "out of memory for the lines of %s", kernel->path);
    if (source->line_count == 0 && source_file_left_out() > 0)
        return refuse(why, EINVAL,
                      "all %zu source files of %s lie outside its folder and the current one; run "
                      "pitot in the folder of the sources",
                      source_file_left_out(), kernel->path);
    if (source->line_count == 0)
        return refuse(why, EINVAL,
                      "%s has no line numbers (DWARF); compile it with -g, or --kernel "
                      "ELF names the file that has them",
                      kernel->path);
    return 0;
}
