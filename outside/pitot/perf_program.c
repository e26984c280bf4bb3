/* SPDX-License-Identifier: BSD-2-Clause */
/* See perf_file.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "outside/pitot/files.h"
#include "outside/pitot/name.h"
#include "outside/pitot/perf_file.h"

#define PAGE_MASK UINT64_C(4095)
#define SYMBOLS   ".symbols"

static const struct kernel *kernel;
static char program[PATH_MAX]; /* the ELF file that perf reads */
static char made[PATH_MAX];    /* the substitute for it, if that is written */
static struct output symbols;
static uint64_t slide;

static bool is_stream(const char *path)
{
    return strcmp(path, "-") == 0;
}

/* A stream's is in the current folder, and its alone: it may be read when others have been made. */
static int open_symbols(const char *path, struct refusal *why)
{
    if (is_stream(path)) {
        strcpy(made, "pitot-XXXXXX" SYMBOLS);
        return output_open_new(&symbols, made, SYMBOLS, why);
    }
    if (snprintf(made, PATH_MAX, "%s" SYMBOLS, path) >= PATH_MAX)
        return refuse(why, ENAMETOOLONG,
                      "%s: too long; the path of the symbol file beside it does not fit", path);
    return output_open(&symbols, made, why);
}

int perf_program_create(const char *path, const struct kernel *of, struct refusal *why)
{
    const char *written;
    int file, error;

    kernel = of;
    strcpy(program, kernel->path);
    if (kernel->made < 0 || (!is_stream(path) && !output_keeps(path)))
        return 0;
    file = open_symbols(path, why);
    if (file < 0)
        return file;
    error = kernel_write_made(kernel, &symbols, file, why);
    if (error)
        return error;
    written = symbols.part ? symbols.part : made;
    if (!realpath(written, program))
        return refuse(why, errno, "%s: %s", written, strerror(errno));
    if (symbols.part && !is_stream(path))
        program[strlen(program) - strlen(OUTPUT_PART)] = '\0';
    return 0;
}

/* PERF_RECORD_MMAP2; the file's name follows. */
struct map_record {
    struct perf_event_header header;
    uint32_t pid, tid;
    uint64_t address, size, offset;
    uint8_t build_id_size, reserved[3], build_id[KERNEL_BUILD_ID_MAX];
    uint32_t protection, flags;
};

/* With the build id, perf rejects the symbols of another build at the same path. */
static void write_map(const struct segment *segment, uint32_t pid)
{
    size_t room = strlen(program) + 1;
    bool known = kernel->build_id_size > 0 && kernel->made < 0; /* a substitute has no build id */
    uint16_t misc =
        known ? PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_BUILD_ID : PERF_RECORD_MISC_USER;
    struct map_record *map = perf_file_record(PERF_RECORD_MMAP2, misc, sizeof(*map) + room);

    map->pid = map->tid = pid;
    map->address = (segment->address + slide) & ~PAGE_MASK;
    map->size = segment->size + (segment->address & PAGE_MASK);
    map->offset = segment->offset & ~PAGE_MASK;
    if (known) {
        map->build_id_size = (uint8_t)kernel->build_id_size;
        memcpy(map->build_id, kernel->build_id, sizeof(map->build_id));
    }
    map->protection = 5; /* PROT_READ | PROT_EXEC */
    map->flags = 2;      /* MAP_PRIVATE */
    memcpy(map + 1, program, room);
}

/* perf shows a mark in a chain by the name of its mapping. */
static void write_mark(uint32_t pid, uint64_t address, const char *name)
{
    size_t room = strlen(name) + 1;
    struct map_record *map =
        perf_file_record(PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, sizeof(*map) + room);

    map->pid = map->tid = pid;
    map->address = address;
    map->size = PAGE_MASK + 1;
    map->protection = 5;
    map->flags = 2;
    memcpy(map + 1, name, room);
}

void perf_program_map(uint32_t pid)
{
    for (size_t i = 0; i < kernel->segment_count; i++)
        write_map(&kernel->code[i], pid);
    write_mark(pid, NAME_NOT_KNOWN, NAME_NOT_KNOWN_TEXT);
    write_mark(pid, NAME_LEFT_OUT, NAME_LEFT_OUT_TEXT);
}

uint64_t perf_program_slide(uint64_t to)
{
    uint64_t by = to - slide;

    slide = to;
    return by;
}

int perf_program_keep(struct refusal *why)
{
    return output_keep(&symbols, why);
}

void perf_program_close(void)
{
    output_drop(&symbols);
}

const char *perf_program_symbols(void)
{
    return *made ? made : NULL;
}
