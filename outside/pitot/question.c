/* SPDX-License-Identifier: BSD-2-Clause */
/* See question.h. */
#define _GNU_SOURCE
#include "outside/pitot/question.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "outside/pitot/array.h"
#include "outside/pitot/elf_symbols.h"
#include "outside/pitot/plain.h"
#include "outside/pitot/show.h"
#include "outside/pitot/source_lines.h"

/* The line that has this byte of the answer is about this code. */
struct mark {
    size_t at;
    uint64_t address; /* as linked */
};

static struct {
    const struct kernel *kernel;
    struct output output;
    int file;  /* descriptor */
    FILE *out; /* the answer in memory; NULL: no page */
    char *text;
    size_t length;
    struct mark *marks;
    size_t mark_count, mark_room;
    bool functions; /* the marks are functions */
    struct source_place *places;
    size_t place_count;
} page;

int question_open(const struct kernel *kernel, const char *input, const char *path,
                  struct refusal *why)
{
    if ((input && show_input_is(input, path)) || show_input_is(kernel->path, path))
        return refuse(why, EINVAL, "-o %s: is the file that is read; give another", path);
    page.kernel = kernel;
    page.file = output_open(&page.output, path, why);
    if (page.file < 0)
        return page.file;
    page.out = open_memstream(&page.text, &page.length);
    return page.out ? 0 : refuse(why, ENOMEM, "out of memory");
}

FILE *question_out(FILE *text)
{
    return page.out ? page.out : text;
}

void question_place(uint64_t address)
{
    struct refusal why;

    if (!page.out || array_grow(&page.marks, &page.mark_room, page.mark_count + 1,
                                sizeof(*page.marks), "places", &why))
        return;
    page.marks[page.mark_count++] =
        (struct mark){(size_t)ftell(page.out), address - elf_symbols_slid()};
}

void question_function(uint64_t address)
{
    page.functions = true;
    question_place(address);
}

/* --- Places --- */

static int compare_places(const void *left, const void *right)
{
    const struct source_place *a = left, *b = right;

    return a->first < b->first ? -1 : a->first > b->first;
}

static uint64_t end_of(uint64_t address)
{
    struct symbol symbol;

    if (page.functions && symbols_find_address(address + elf_symbols_slid(), &symbol) &&
        symbol.size > 0)
        return address + symbol.size;
    return address + 1;
}

/* The places of all marks, each once. */
static int list_places(struct refusal *why)
{
    page.places = calloc(page.mark_count + 1, sizeof(*page.places));
    if (!page.places)
        return refuse(why, ENOMEM, "out of memory");
    for (size_t i = 0; i < page.mark_count; i++)
        page.places[i] = (struct source_place){.first = page.marks[i].address};
    qsort(page.places, page.mark_count, sizeof(*page.places), compare_places);
    for (size_t i = 0; i < page.mark_count; i++)
        if (i == 0 || page.places[i].first != page.places[page.place_count - 1].first)
            page.places[page.place_count++].first = page.places[i].first;
    for (size_t i = 0; i < page.place_count; i++) {
        page.places[i].end = end_of(page.places[i].first);
        if (i > 0 && page.places[i - 1].end > page.places[i].first)
            page.places[i - 1].end = page.places[i].first;
    }
    return 0;
}

static const struct source_place *place_of(const struct mark *mark)
{
    struct source_place key = {.first = mark->address};

    return bsearch(&key, page.places, page.place_count, sizeof(key), compare_places);
}

/* --- The page --- */

/* Writes [TEXT, FILE, LINE] for each line of the answer; FILE -1: it has no source. */
static void write_answer(FILE *out, struct interned *files)
{
    size_t mark = 0;
    char *line = page.text;

    for (char *end; line < page.text + page.length; line = end + 1) {
        const struct source_place *place = NULL;

        end = strchrnul(line, '\n');
        for (; mark < page.mark_count && page.marks[mark].at <= (size_t)(end - page.text); mark++)
            place = place_of(&page.marks[mark]);
        *end = '\0';
        fputs(line == page.text ? "[" : ",\n[", out);
        show_json_wide(out, line);
        if (place && place->file)
            fprintf(out, ",%u,%d]", interned_number(files, &place->file, sizeof(place->file)),
                    place->line);
        else
            fputs(",-1,0]", out);
    }
}

/* True if a place in one of the kernel's functions has no line: its file may lie elsewhere. */
static bool lacks_source(void)
{
    struct symbol symbol;

    for (size_t i = 0; i < page.place_count; i++)
        if (!page.places[i].file &&
            symbols_find_address(page.places[i].first + elf_symbols_slid(), &symbol))
            return true;
    return false;
}

/* Why lines have no source. */
static void write_note(FILE *out, const struct refusal *without)
{
    char *left_out = without || !lacks_source() ? NULL : source_file_left_out_text();

    fputs(",\n\"note\":", out);
    show_json_string(out, without ? without->text : left_out ? left_out : "");
    free(left_out);
}

static void write_data(FILE *out, const char *title, const struct refusal *without)
{
    struct interned files = {0};

    fputs("<script type=\"application/json\" id=\"answer-data\">\n{\"title\":", out);
    show_json_string(out, title);
    write_note(out, without);
    fputs(",\n\"lines\":[", out);
    write_answer(out, &files);
    fputs("],\n\"files\":[", out);
    for (uint32_t i = 0; i < files.count; i++) {
        const char *file;

        memcpy(&file, interned_key(&files, i), sizeof(file));
        fputs(i ? ",\n" : "", out);
        source_places_write(out, page.kernel, file, page.places, page.place_count);
    }
    fputs("]}\n</script>\n", out);
    interned_free(&files);
}

int question_write(const char *name, const char *asked, const struct profile *profile,
                   const char *counted, struct refusal *why)
{
    struct source source = {0};
    struct refusal without;
    char *title = NULL;
    FILE *out = fdopen(page.file, "w");
    int error =
        out ? list_places(why) : refuse(why, errno, "%s: %s", page.output.path, strerror(errno));
    bool sourced;

    if (error)
        return error;
    fclose(page.out);
    sourced = source_read(&source, page.kernel, &without) == 0;
    if (sourced)
        source_places_find(&source, page.functions, page.places, page.place_count);
    if (asprintf(&title, "pitot %s %s, in %s", name, asked, page.kernel->name) < 0)
        return refuse(why, ENOMEM, "out of memory");
    show_page_begin(out);
    write_data(out, title, sourced ? NULL : &without);
    if (profile)
        show_page_profile(out, profile, title, counted);
    show_page_end(out);
    free(title);
    if (fflush(out) != 0 || ferror(out))
        error = refuse(why, EIO, "%s: %s", page.output.path, strerror(errno));
    fclose(out);
    if (!error)
        error = output_keep(&page.output, why);
    if (!error)
        plain_tell("[ pitot %s: %s ]", name, page.output.path);
    return error;
}

void question_drop(void)
{
    output_drop(&page.output);
}
