/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as the programs' archive: each entry that ustar_next returns is inside the archive, has
 * a terminated absolute path, and advances; anything else is refused with a reason. The input is an
 * archive, or makes one that is mostly valid, especially its checksums. Run by tests/host/fuzz.t
 * (docs/proof.md).
 *
 * links: kernel/fs/ustar.c core/lib/refusal.c core/lib/print.c tests/fuzz/feed.c
 */
#include "kernel/fs/ustar.h"
#include "tests/fuzz/claim.h"
#include "tests/fuzz/feed.h"

#define BLOCK      512
#define BLOCKS     12
#define CHECKSUM   148 /* offsets of the fields: pax(1), "ustar Interchange Format" */
#define TYPE       156
#define MAGIC      257
#define PREFIX     345
#define PREFIX_END 500

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void claim_entry(const struct ustar *archive, const struct ustar_entry *entry)
{
    const unsigned char *start = entry->bytes;

    CLAIM(entry->path[0] == '/' && memchr(entry->path, '\0', sizeof(entry->path)));
    CLAIM(entry->kind == FS_FILE || entry->kind == FS_DIRECTORY);
    CLAIM(start >= archive->bytes && start <= archive->bytes + archive->size);
    CLAIM(entry->size <= archive->size - (size_t)(start - archive->bytes));
}

/* Copies the archive to memory of its exact size. */
static void try_archive(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    struct ustar archive = {.bytes = copy, .size = size};
    struct ustar_entry entry;
    struct refusal why;
    size_t before = 0;
    int found;

    memcpy(copy, bytes, size);
    refusal_spoil(&why);
    while ((found = ustar_next(&archive, &entry, &why)) > 0) {
        claim_entry(&archive, &entry);
        CLAIM(archive.at > before && archive.at <= size);
        before = archive.at;
    }
    if (found < 0)
        claim_refused(found, &why);
    free(copy);
}

static void fill(struct feed *feed, uint8_t *block, size_t from, size_t to)
{
    const size_t length = feed_byte(feed) % (to - from + 1);

    for (size_t i = 0; i < length; i++)
        block[from + i] = "abc/.-"[feed_byte(feed) % 6];
}

static void put_octal(uint8_t *block, size_t from, size_t digits, uint64_t value)
{
    for (size_t i = digits; i-- > 0; value /= 8)
        block[from + i] = (uint8_t)('0' + value % 8);
}

static void put_checksum(uint8_t *block)
{
    uint64_t sum = 0;

    memset(block + CHECKSUM, ' ', 8);
    for (size_t i = 0; i < BLOCK; i++)
        sum += block[i];
    put_octal(block, CHECKSUM, 6, sum);
    block[CHECKSUM + 6] = '\0';
}

static void make_header(struct feed *feed, uint8_t *block)
{
    const uint8_t kind = feed_byte(feed);

    memset(block, 0, BLOCK);
    fill(feed, block, 0, 100);
    if (kind & 1)
        fill(feed, block, PREFIX, PREFIX_END);
    put_octal(block, 124, 11, feed_number(feed, kind & 2 ? 4 : 1));
    if (kind & 4)
        block[124 + feed_byte(feed) % 12] = feed_byte(feed);
    block[TYPE] = kind & 8 ? '5' : kind & 16 ? '0' : feed_byte(feed);
    memcpy(block + MAGIC,
           "ustar\0"
           "00",
           8);
    put_checksum(block);
}

static void try_made(struct feed *feed)
{
    uint8_t archive[BLOCKS * BLOCK] = {0};
    const size_t cut = feed_number(feed, 2) % sizeof(archive);

    for (unsigned i = 0; i < BLOCKS && !feed_is_empty(feed); i++)
        if (feed_byte(feed) % 4 != 0)
            make_header(feed, archive + i * BLOCK);
    try_archive(archive, sizeof(archive) - cut);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct feed feed = {.bytes = bytes, .left = size};

    if (feed_byte(&feed) < 32)
        try_archive(feed.bytes, feed.left);
    else
        try_made(&feed);
    return 0;
}
