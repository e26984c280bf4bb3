/* SPDX-License-Identifier: BSD-2-Clause */
/* See source_lines.h. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "outside/pitot/array.h"
#include "outside/pitot/files.h"
#include "outside/pitot/show.h"
#include "outside/pitot/source_lines.h"

#define AROUND     12  /* lines before and after a place */
#define LINES_MOST 300 /* of a function */
#define WIDTH_MOST 400 /* bytes of a line */

/* --- Lines of places --- */

static void find_declarations(const struct source *source, struct source_place *places,
                              size_t count)
{
    for (size_t i = 0; i < source->function_count; i++) {
        const struct source_function *function = &source->functions[i];
        size_t at = ARRAY_UNTIL(places, count, end, function->entry);

        if (at < count && places[at].first == function->entry) {
            places[at].file = function->file;
            places[at].line = places[at].last = function->line;
        }
    }
}

/*
 * Of an instruction the last row that begins at or before it; rows of a unit are in the order of
 * addresses, and of two with the same address the second has the code. Of a function, which may
 * have no declaration, as in assembly, all rows in its own file.
 */
static void take_row(const struct source_line *row, bool functions, struct source_place *place,
                     uint64_t *begins)
{
    if (!functions) {
        if (!place->file || row->first >= *begins) {
            place->file = row->file;
            place->line = place->last = row->line;
            *begins = row->first;
        }
        return;
    }
    if (!place->file && row->first <= place->first) {
        place->file = row->file;
        place->line = place->last = row->line;
    }
    if (place->file == row->file && row->line > place->last && row->line - place->line < LINES_MOST)
        place->last = row->line;
}

void source_places_find(const struct source *source, bool functions, struct source_place *places,
                        size_t count)
{
    uint64_t *begins = calloc(count + 1, sizeof(*begins));

    if (functions)
        find_declarations(source, places, count);
    for (size_t i = 0; begins && i < source->line_count; i++) {
        const struct source_line *row = &source->lines[i];

        for (size_t at = ARRAY_UNTIL(places, count, end, row->first);
             at < count && places[at].first < row->end; at++)
            take_row(row, functions, &places[at], &begins[at]);
    }
    free(begins);
}

/* --- The text around them --- */

/* True if a page shows the line of a file, which has these places. */
static bool is_near(const struct source_place *places, size_t count, int line)
{
    for (size_t i = 0; i < count; i++)
        if (line >= places[i].line - AROUND && line <= places[i].last + AROUND)
            return true;
    return false;
}

/* Writes the lines, as parts of consecutive ones, each with the number of its first before it. */
static void write_lines(FILE *out, FILE *text, const struct source_place *places, size_t count)
{
    char *line = NULL;
    size_t room = 0;
    bool any = false, open = false;

    for (int number = 1; getline(&line, &room, text) > 0; number++) {
        bool near = is_near(places, count, number);

        if (open && !near)
            fputc(']', out);
        if (near && !open)
            fprintf(out, "%s[%d", any ? "," : "", number);
        any |= near;
        open = near;
        if (!near)
            continue;
        line[strcspn(line, "\r\n")] = '\0';
        if (strlen(line) > WIDTH_MOST)
            line[WIDTH_MOST] = '\0';
        fputs(",\n", out);
        show_json_wide(out, line);
    }
    if (open)
        fputc(']', out);
    free(line);
}

static void write_note(FILE *out, int file, const struct kernel *kernel, const struct refusal *why)
{
    struct stat source, built;
    char *note = NULL;

    if (file < 0)
        note = strdup(why->text);
    else if (fstat(file, &source) == 0 && stat(kernel->path, &built) == 0 &&
             source.st_mtime > built.st_mtime &&
             asprintf(&note, "changed after %s was built", kernel->name) < 0)
        note = NULL;
    show_json_string(out, note ? note : "");
    free(note);
}

/* A path below the current folder without that. */
static const char *short_path(const char *file)
{
    char folder[PATH_MAX];
    size_t length = getcwd(folder, sizeof(folder)) ? strlen(folder) : 0;

    return length > 0 && strncmp(file, folder, length) == 0 && file[length] == '/'
               ? file + length + 1
               : file;
}

void source_places_write(FILE *out, const struct kernel *kernel, const char *file,
                         const struct source_place *places, size_t count)
{
    struct refusal why;
    int opened = input_open_file(file, "it is no source", &why);
    FILE *text = opened < 0 ? NULL : fdopen(opened, "r");
    struct source_place *own = calloc(count + 1, sizeof(*own));
    size_t own_count = 0;

    for (size_t i = 0; own && i < count; i++)
        if (places[i].file == file)
            own[own_count++] = places[i];
    fputs("{\"name\":", out);
    show_json_string(out, short_path(file));
    fputs(",\"note\":", out);
    write_note(out, opened, kernel, &why);
    fputs(",\"parts\":[", out);
    if (text)
        write_lines(out, text, own, own_count);
    fputs("]}", out);
    if (text)
        fclose(text);
    free(own);
}
