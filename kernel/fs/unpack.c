/* SPDX-License-Identifier: BSD-2-Clause */
/* Unpacks the archive of user programs into files (ustar.h). Task context. */
#include "kernel/fs/ustar.h"

static int make_file(const struct ustar_entry *entry)
{
    int fd = fs_open(entry->path, FS_WRITE | FS_CREATE | FS_TRUNCATE);
    int64_t done;

    if (fd < 0)
        return fd;
    done = fs_write(fd, entry->bytes, entry->size);
    fs_close(fd);
    if (done < 0)
        return (int)done;
    return (size_t)done == entry->size ? 0 : -ENOSPC;
}

static int make_entry(const struct ustar_entry *entry)
{
    int error;

    if (entry->kind == FS_FILE)
        return make_file(entry);
    error = fs_mkdir(entry->path);
    return error == -EEXIST || error == -EBUSY ? 0 : error; /* already exists (-EBUSY: the root) */
}

int unpack(const void *bytes, size_t size, struct refusal *why)
{
    struct ustar archive = {.bytes = bytes, .size = size};
    struct ustar_entry entry;
    int found;

    while ((found = ustar_next(&archive, &entry, why)) > 0) {
        int error = make_entry(&entry);

        if (error)
            return refuse(why, -error, "%s cannot be made: error %d", entry.path, -error);
    }
    return found;
}
