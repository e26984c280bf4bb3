/* SPDX-License-Identifier: BSD-2-Clause */
/* See source_lines.h. */
#include "outside/pitot/source_lines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "outside/pitot/array.h"

struct reading {
    struct source *source;
    const struct kernel *kernel;
    size_t line_room, function_room;
    unsigned unit;
    bool full; /* out of memory */
};

/* --- Files --- */

/* Searches a folder, whose path has `length` bytes, and its parents. */
static bool find_above(const char *folder, size_t length, const char *path, char found[PATH_MAX])
{
    char whole[2 * PATH_MAX];

    for (;; length--) {
        snprintf(whole, sizeof(whole), "%.*s/%s", (int)length, folder, path);
        if (realpath(whole, found))
            return true;
        while (length > 0 && folder[length - 1] != '/')
            length--;
        if (length == 0)
            return false;
    }
}

/*
 * Finds a source file named in debug information. A relative path is tried from the current folder
 * upwards, then from the folder of the kernel's file. NASM writes FOLDER//PATH: PATH is tried from
 * FOLDER upwards.
 */
static bool find_source(const char *compiled, const char *kernel, char found[PATH_MAX])
{
    const char *twice = strstr(compiled, "//");
    char current[PATH_MAX];

    if (*compiled == '/' && realpath(compiled, found))
        return true;
    if (*compiled == '/')
        return twice && find_above(compiled, (size_t)(twice - compiled), twice + 2, found);
    return (getcwd(current, sizeof(current)) &&
            find_above(current, strlen(current), compiled, found)) ||
           find_above(kernel, (size_t)(strrchr(kernel, '/') - kernel), compiled, found);
}

static int compare_text(const void *left, const void *right)
{
    return strcmp(left, right);
}

/* Returns the path of the source file, the same pointer for the same file; NULL: no memory. */
static const char *file_of(const struct kernel *kernel, const char *path)
{
    static const char *path_before, *file_before;
    static void *files;
    char real[PATH_MAX];
    char *text, **node;

    if (path == path_before)
        return file_before;
    text = strdup(find_source(path, kernel->path, real) ? real : path);
    node = text ? tsearch(text, &files, compare_text) : NULL;
    if (!node)
        return NULL;
    if (*node != text)
        free(text);
    path_before = path;
    return file_before = *node;
}

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
    line.file = file_of(reading->kernel, path);
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

static int add_function(Dwarf_Die *die, void *own)
{
    struct reading *reading = own;
    struct source *source = reading->source;
    struct source_function function = {.name = dwarf_diename(die)};
    const char *path = dwarf_decl_file(die);

    if (!path || !function.name || dwarf_decl_line(die, &function.line) != 0 ||
        dwarf_entrypc(die, &function.entry) != 0 || !is_code(reading->kernel, function.entry))
        return DWARF_CB_OK;
    function.file = file_of(reading->kernel, path);
    if (!function.file || array_grow(&source->functions, &reading->function_room,
                                     source->function_count + 1, sizeof(function), "lines", NULL))
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
        read_lines(reading, &die);
        dwarf_getfuncs(&die, add_function, reading, 0);
    }
}

int source_read(struct source *source, const struct kernel *kernel, struct refusal *why)
{
    struct reading reading = {.source = source, .kernel = kernel};
    int file = open(kernel->path, O_RDONLY | O_CLOEXEC);
    Dwarf *dwarf;

    if (file < 0)
        return refuse(why, errno, "%s: %s", kernel->path, strerror(errno));
    *source = (struct source){.line_count = 0};
    dwarf = dwarf_begin(file, DWARF_C_READ); /* stays open: names point into it */
    if (dwarf)
        read_units(&reading, dwarf);
    if (reading.full)
        return refuse(why, ENOMEM, "out of memory for the lines of %s", kernel->path);
    if (source->line_count == 0)
        return refuse(why, EINVAL,
                      "%s has no line numbers (DWARF); compile it with -g, or --kernel "
                      "ELF names the file that has them",
                      kernel->path);
    return 0;
}
