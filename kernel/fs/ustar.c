/* SPDX-License-Identifier: BSD-2-Clause */
/* See ustar.h. Nothing in the archive is trusted: tests/fuzz/ustar_fuzz.c. */
#include "kernel/fs/ustar.h"

#include <stdbool.h>

#include "core/lib/print.h"
#include "core/lib/string.h"

#define BLOCK 512

/* All fields are strings; numbers are octal. A string that fills its field has no NUL. */
struct header {
    char name[100];
    char mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8];
    char type;
    char linkname[100];
    char magic[6], version[2];
    char uname[32], gname[32], devmajor[8], devminor[8];
    char prefix[155];
    char unused[12];
};

_Static_assert(sizeof(struct header) == BLOCK, "ustar Interchange Format");

/* Returns false unless the field holds an octal number. Its 12 digits always fit into a size_t. */
static bool read_octal(const char *text, size_t length, size_t *value)
{
    size_t at = 0;

    *value = 0;
    while (at < length && text[at] == ' ')
        at++;
    if (at == length || text[at] < '0' || text[at] > '7')
        return false;
    for (; at < length && text[at] >= '0' && text[at] <= '7'; at++)
        *value = *value * 8 + (size_t)(text[at] - '0');
    return at == length || text[at] == ' ' || text[at] == '\0';
}

/* Returns the sum of all header bytes, with those of the checksum field counted as blanks. */
static size_t checksum_of(const unsigned char *bytes)
{
    const size_t start = offsetof(struct header, checksum), end = offsetof(struct header, type);
    size_t sum = 0;

    for (size_t i = 0; i < BLOCK; i++)
        sum += i >= start && i < end ? ' ' : bytes[i];
    return sum;
}

static bool is_zero(const unsigned char *bytes)
{
    for (size_t i = 0; i < BLOCK; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

static size_t length_of(const char *text, size_t most)
{
    size_t length = 0;

    while (length < most && text[length] != '\0')
        length++;
    return length;
}

/* Makes the path, without a leading "./" and trailing slashes. Returns false if it is too long. */
static bool make_path(const struct header *header, char *path)
{
    size_t prefix = length_of(header->prefix, sizeof(header->prefix));
    size_t name = length_of(header->name, sizeof(header->name)), length;
    const char *start = header->name;

    if (prefix == 0 && name >= 2 && start[0] == '.' && start[1] == '/') {
        start += 2;
        name -= 2;
    }
    length = print_into(path, FS_PATH_MAX + 1, "/%.*s%s%.*s", (int)prefix, header->prefix,
                        prefix ? "/" : "", (int)name, start);
    if (length > FS_PATH_MAX)
        return false;
    while (length > 1 && path[length - 1] == '/')
        path[--length] = '\0';
    return true;
}

static int wrong(struct refusal *why, const struct ustar *archive, const char *what)
{
    return refuse(why, EINVAL, "byte %zu of the archive: %s", archive->at, what);
}

static int read_entry(struct ustar *archive, const struct header *header, struct ustar_entry *entry,
                      struct refusal *why)
{
    const size_t rest = archive->size - archive->at - BLOCK;

    if (!read_octal(header->size, sizeof(header->size), &entry->size) || entry->size > rest)
        return wrong(why, archive, "a file is longer than the archive");
    if (header->type != '0' && header->type != '\0' && header->type != '5')
        return wrong(why, archive, "neither a file nor a directory");
    if (!make_path(header, entry->path))
        return wrong(why, archive, "the path is too long");
    entry->kind = header->type == '5' ? FS_DIRECTORY : FS_FILE;
    entry->bytes = archive->bytes + archive->at + BLOCK;
    archive->at += BLOCK + entry->size;
    archive->at += (BLOCK - entry->size % BLOCK) % BLOCK;
    if (archive->at > archive->size) /* the last block may be truncated */
        archive->at = archive->size;
    return 1;
}

int ustar_next(struct ustar *archive, struct ustar_entry *entry, struct refusal *why)
{
    const unsigned char *block = archive->bytes + archive->at;
    struct header header;
    size_t checksum;

    if (archive->size - archive->at < BLOCK || is_zero(block))
        return 0;
    memcpy(&header, block, sizeof(header));
    if (memcmp(header.magic, "ustar", 5) != 0)
        return wrong(why, archive, "not a ustar header");
    if (!read_octal(header.checksum, sizeof(header.checksum), &checksum) ||
        checksum != checksum_of(block))
        return wrong(why, archive, "the header's checksum is wrong");
    return read_entry(archive, &header, entry, why);
}
