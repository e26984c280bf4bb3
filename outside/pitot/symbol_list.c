/* SPDX-License-Identifier: BSD-2-Clause */
/* See elf_symbols.h. Source: the manuals of GNU nm and GNU ld ("-Map"). */
#define _GNU_SOURCE
#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "outside/pitot/elf_symbols.h"
#include "outside/pitot/files.h"

#define LINE_MOST 65536 /* bytes; names of C++ have hundreds */

static const char map_head[] = "Linker script and memory map",
                  expected[] = "expected what nm prints, or a map of GNU ld (-Map)";

struct list {
    bool is_map;
    bool failed; /* no memory */
    /* In a map: the section named last, and whether it has code. */
    char *section;
    bool text;
    /* A name for the section's code, dropped if a symbol has the same address. */
    char *start;
    uint64_t start_address;
};

static void add(struct list *list, const char *name, uint64_t address, uint64_t size, bool function)
{
    list->failed = list->failed || !elf_symbols_add(name, address, size, function);
}

/* Cuts the next word off *text, and returns it; NULL: none. */
static char *next_word(char **text)
{
    char *word = *text + strspn(*text, " \t");
    size_t length = strcspn(word, " \t");

    *text = word + length + (word[length] != '\0');
    word[length] = '\0';
    return length ? word : NULL;
}

static bool read_hex(const char *word, uint64_t *number)
{
    char *end;

    if (!word || !isxdigit((unsigned char)*word))
        return false;
    *number = strtoull(word, &end, 16);
    return *end == '\0';
}

/* --- nm: ADDRESS [SIZE] TYPE NAME --- */

static void read_nm_line(struct list *list, char *line)
{
    uint64_t address, size = 0;
    char *type;

    if (!read_hex(next_word(&line), &address))
        return;
    type = next_word(&line);
    if (type && type[1] && read_hex(type, &size))
        type = next_word(&line);
    line += strspn(line, " \t");
    if (!type || type[1] || !*line || !strchr("tTwWiuvVbBdDrRsSgG", *type))
        return;
    line[strcspn(line, "\t")] = '\0'; /* drops the module's name that /proc/kallsyms adds */
    add(list, line, address, size, strchr("tTwWi", *type));
}

/* --- A map: sections, their parts, and the symbols in the parts --- */

static void add_start(struct list *list)
{
    if (list->start)
        add(list, list->start, list->start_address, 0, true);
    free(list->start);
    list->start = NULL;
}

/*
 * Reads one object's part of a section. A part `.text.NAME` (-ffunction-sections) is the function
 * NAME.
 */
static void read_part(struct list *list, const char *name, char *rest)
{
    uint64_t address, size;

    list->text = strstr(name, "text") != NULL;
    if (!list->text || !read_hex(next_word(&rest), &address) ||
        !read_hex(next_word(&rest), &size) || size == 0 || !*rest)
        return;
    add_start(list);
    if (strncmp(name, ".text.", strlen(".text.")) == 0)
        name += strlen(".text.");
    else
        name = strrchr(rest, '/') ? strrchr(rest, '/') + 1 : rest;
    list->start = strdup(name);
    list->start_address = address;
}

/* Reads a symbol's line: an address, then a name, or an assignment of the script (ignored). */
static void read_map_symbol(struct list *list, char *line)
{
    uint64_t address;
    char *rest = line, *word = next_word(&rest);

    if (!read_hex(word, &address))
        return;
    rest += strspn(rest, " ");
    if (strncmp(rest, "0x", 2) == 0) { /* continues the line of a section with a long name */
        char *whole = NULL;

        if (list->section && asprintf(&whole, "%s %s", word, rest) >= 0)
            read_part(list, list->section, whole);
        free(whole);
        return;
    }
    if (!*rest || strstr(rest, " = "))
        return;
    if (list->start && list->start_address == address) {
        free(list->start);
        list->start = NULL;
    }
    add(list, rest, address, 0, list->text);
}

static void read_map_line(struct list *list, char *line)
{
    bool is_part;
    char *name;

    if (line[0] == '\0' || line[0] == '*' || line[1] == '*')
        return;
    if (line[0] == ' ' && line[1] == ' ') {
        read_map_symbol(list, line);
        return;
    }
    is_part = line[0] == ' ';
    name = next_word(&line);
    free(list->section);
    list->section = is_part && name ? strdup(name) : NULL;
    if (list->section)
        read_part(list, name, line);
}

/* --- Both formats --- */

enum line_end { LINE_READ, LINE_NONE, LINE_LONG, LINE_BINARY };

/* Reads a line without its end. A zero byte is in no text, so a disk image ends here. */
static enum line_end read_line(FILE *file, char line[LINE_MOST + 1])
{
    size_t length = 0;
    int next;

    while ((next = getc_unlocked(file)) != EOF && next != '\n') {
        if (length == LINE_MOST)
            return LINE_LONG;
        line[length++] = (char)next;
        if (next == '\0')
            return LINE_BINARY;
    }
    line[length] = '\0';
    line[strcspn(line, "\r")] = '\0';
    return next == EOF && length == 0 ? LINE_NONE : LINE_READ;
}

static int read_lines(struct list *list, FILE *file, const char *path, struct refusal *why)
{
    static char line[LINE_MOST + 1];
    unsigned long number = 1;
    enum line_end end;

    for (; (end = read_line(file, line)) == LINE_READ; number++) {
        if (list->is_map)
            read_map_line(list, line);
        else if (strcmp(line, map_head) == 0)
            list->is_map = true;
        else
            read_nm_line(list, line);
    }
    if (strncmp(line, ELFMAG, SELFMAG) == 0)
        return refuse(why, EINVAL, "%s is an ELF file; --kernel %s takes it", path, path);
    if (ferror(file))
        return refuse(why, errno, "%s: %s", path, strerror(errno));
    if (end == LINE_LONG)
        return refuse(why, EINVAL, "%s: line %lu is longer than %d bytes; %s", path, number,
                      LINE_MOST, expected);
    if (end == LINE_BINARY)
        return refuse(why, EINVAL, "%s has no text; %s", path, expected);
    return 0;
}

int symbol_list_read(const char *path, struct refusal *why)
{
    struct list list = {.is_map = false};
    int file = input_open_text(path, expected, why), error;
    FILE *text = file < 0 ? NULL : fdopen(file, "r");

    if (file < 0)
        return file;
    if (!text)
        return refuse(why, errno, "%s: %s", path, strerror(errno));
    error = read_lines(&list, text, path, why);
    if (list.is_map)
        add_start(&list);
    free(list.section);
    fclose(text);
    if (error)
        return error;
    if (list.failed)
        return refuse(why, ENOMEM, "out of memory for the symbols of %s", path);
    if (!elf_symbols_sort())
        return refuse(why, EINVAL, "%s has no symbols; %s", path, expected);
    return 0;
}
