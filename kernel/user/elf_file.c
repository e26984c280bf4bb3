/* SPDX-License-Identifier: BSD-2-Clause */
/* See elf.h: reads a program's file. */
#include "kernel/user/elf.h"

#include "kernel/fs/ramfs.h"

int elf_file_read(int fd, uint64_t offset, void *to, size_t length)
{
    int64_t done = offset <= FS_SIZE_MAX ? fs_seek(fd, (int64_t)offset, FS_SEEK_SET) : -EIO;

    if (done >= 0)
        done = fs_read(fd, to, length);
    if (done < 0)
        return (int)done;
    return (size_t)done == length ? 0 : -EIO;
}

int elf_file_start(int fd, struct elf_start *start)
{
    int64_t size = fs_seek(fd, 0, FS_SEEK_END);

    if (size < 0)
        return (int)size;
    start->file_size = (uint64_t)size;
    start->length = start->file_size < sizeof(start->bytes) ? (size_t)size : sizeof(start->bytes);
    return elf_file_read(fd, 0, start->bytes, start->length);
}
