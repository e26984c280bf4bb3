/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of `pitot blame`: its file, the writes to its places, and how they are printed. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/lib/refusal.h"
#include "outside/pitot/kernel.h"
#include "outside/wire.h"

/* --- The file: blame_file.c --- */

/*
 * blame.data, the last writer of all memory: a head that names the kernel, the records of
 * outside/wire.h as the plugin wrote them, up to WIRE_END, and a checksum of all this. In the
 * host's byte order, in words of 8 bytes.
 *
 * The version changes with the head, and with a record that outside/pitot/blame.c reads; not with
 * others, so a file outlives changes of the pipe.
 */
#define BLAME_FILE_VERSION 5

struct blame_file_head {
    char magic[8];
    uint32_t version, build_id_size;
    uint8_t build_id[KERNEL_BUILD_ID_MAX + 4];
    char kernel[PATH_MAX]; /* absolute */
};

int blame_file_create(const char *path, const struct kernel *kernel, struct refusal *why);
int blame_file_write(const struct wire_head *record, struct refusal *why);

/* Writes the checksum, and closes the file, which replaces an older one if it is `whole`. */
int blame_file_close(bool whole, struct refusal *why);

/* The file stays open for blame_file_read. */
int blame_file_open(const char *path, struct blame_file_head *head, struct refusal *why);

/* Passes each record to `take`, up to WIRE_END. */
int blame_file_read(int (*take)(const struct wire_head *record, struct refusal *why),
                    struct refusal *why);

/* --- The writes: writes.c --- */

/*
 * The writes to the places, in groups of bytes with the same writers. A place is where its virtual
 * pages were mapped; if one was mapped to several physical pages, in several address spaces or one
 * after the other, each has its own writes: the latest is layer 0.
 */
#define WRITES_CPUS 256

struct blamed_place {
    char *name; /* as typed, without /LEN */
    uint64_t address, length;
    bool fixed; /* a run-time address, which the slide does not move */
};

/* `order`: as the plugin sent them. */
struct written {
    struct wire_word word;
    size_t order;
};

/*
 * Bytes of a place and their writes, newest first; for joined words, the writes of the first word,
 * which ends at `word_last`. `shift`: from their addresses to the physical ones.
 */
struct group {
    uint64_t first, last, word_last;
    uint64_t shift;
    bool mapped; /* where they are is known: something has written to their page */
    const struct written *writes;
    size_t count;
    const struct wire_held *held; /* what memory holds in the first word, if that is told */
};

/* Adds a mapping, if a place has its virtual page. Must be called before the first write. */
int writes_map(const struct blamed_place *places, size_t count, const struct wire_mapping *mapping,
               struct refusal *why);

/* Adds a write to a history. Must be called in the plugin's order. */
int writes_add(const struct wire_word *word, struct refusal *why);

/* Adds what memory holds in a word of a place. */
int writes_hold(const struct wire_held *held, struct refusal *why);

/*
 * Adds a last writer to the places that contain its bytes; may be called in any order. The other
 * bytes of the same granule (4 bytes) get a write with count 0: their writer is not known.
 */
int writes_pick(const struct blamed_place *places, size_t count, const struct wire_word *word,
                struct refusal *why);

/*
 * Must be called after the last write was added. `clocks`: instructions of each CPU. Refuses writes
 * that are later, and last writers of the same bytes.
 */
int writes_sort(const uint64_t clocks[WRITES_CPUS], struct refusal *why);

/* Returns the number of a virtual page's physical pages. */
size_t writes_layers(uint64_t address);

/*
 * Returns the group that begins at `first` in place `number`, whose last byte is `end`, in a layer.
 * If its page has no such layer, the group is the rest of the page, and not mapped.
 */
struct group writes_group(size_t number, size_t layer, uint64_t first, uint64_t end);

/* True if the write covers all bytes of the group's word. */
bool writes_whole(const struct group *group, const struct wire_word *write);

/* --- How they are printed: blame_text.c --- */

/* Stores a CPU's clock. Must be called before blame_print. */
int blame_clock(const struct wire_number *clock, struct refusal *why);

/*
 * Prints the writers of each place; adjacent words with the same writers are joined. `kernel`
 * names code of an unknown thread; `lost` is the number of writes dropped.
 */
int blame_print(FILE *to, const struct blamed_place *places, size_t count, const char *kernel,
                uint64_t lost, struct refusal *why);
