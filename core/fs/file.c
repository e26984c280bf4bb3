/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of open files (its rules: file.h). Called by core/fs/ramfs.c in task context, without
 * the kernel lock.
 */
#include "core/fs/file.h"

#include <stdbool.h>

#include <linux/errno.h>

#include "core/assert.h"
#include "core/fs/visible.h"
#include "core/lock/kernel_lock.h"

static struct file files[FS_OPEN_MAX];

int file_claim(void)
{
    int claimed = -EMFILE;

    lock_kernel();
    for (int fd = 0; fd < FS_OPEN_MAX && claimed < 0; fd++) {
        if (files[fd].references == 0) {
            files[fd] = (struct file){.references = 1};
            claimed = fd;
        }
    }
    unlock_kernel();
    return claimed;
}

void file_abandon(int fd)
{
    lock_kernel();
    assert(files[fd].references == 1 && files[fd].inode == NULL);
    files[fd].references = 0;
    unlock_kernel();
    STAY_IN_CHAIN();
}

void file_install(int fd, struct inode *inode, unsigned flags)
{
    lock_kernel();
    files[fd].inode = inode;
    files[fd].flags = flags;
    unlock_kernel();
    STAY_IN_CHAIN();
}

/* Under the lock. */
static bool is_open(int fd)
{
    return fd >= 0 && fd < FS_OPEN_MAX && files[fd].flags != 0;
}

struct file *file_get(int fd)
{
    struct file *file = NULL;

    lock_kernel();
    if (is_open(fd)) {
        file = &files[fd];
        file->references++;
    }
    unlock_kernel();
    return file;
}

void file_put(struct file *file)
{
    struct inode *inode = NULL;

    lock_kernel();
    assert(file->references > 0);
    file->references--;
    if (file->references == 0) {
        inode = file->inode;
        file->inode = NULL;
    }
    unlock_kernel();

    if (inode != NULL)
        inode_put(inode);
    STAY_IN_CHAIN();
}

int file_close(int fd)
{
    struct file *file = NULL;

    /*
     * Clearing the flags takes the descriptor's own hold on the file away from it: it is dropped
     * below, once.
     */
    lock_kernel();
    if (is_open(fd)) {
        file = &files[fd];
        file->flags = 0;
    }
    unlock_kernel();

    if (file == NULL)
        return -EBADF;
    file_put(file);
    return 0;
}

int64_t file_read(struct file *file, void *to, size_t length)
{
    int64_t done = -EBADF;

    lock_kernel();
    if (file->flags & FS_READ) {
        done = inode_read(file->inode, file->offset, to, length);
        file->offset += (uint64_t)done;
    }
    unlock_kernel();

    /* Nothing hangs on the time, so it is noted apart: others may have the lock in between. */
    if (done > 0)
        inode_mark_accessed(file->inode);
    return done;
}

int64_t file_write(struct file *file, const void *from, size_t length)
{
    int64_t done = -EBADF;

    /* The end must not move between finding and writing it, nor the offset. */
    lock_kernel();
    if (file->flags & FS_WRITE) {
        if (file->flags & FS_APPEND)
            file->offset = file->inode->size;
        done = inode_write(file->inode, file->offset, from, length);
        if (done > 0)
            file->offset += (uint64_t)done;
    }
    unlock_kernel();
    return done;
}

int64_t file_seek(struct file *file, int64_t offset, enum fs_whence whence)
{
    int64_t result = -EINVAL;

    if (offset < -FS_SIZE_MAX || offset > FS_SIZE_MAX)
        return result;

    lock_kernel();
    if (whence == FS_SEEK_CURRENT)
        offset += (int64_t)file->offset;
    else if (whence == FS_SEEK_END)
        offset += (int64_t)file->inode->size;
    if (offset >= 0 && offset <= FS_SIZE_MAX) {
        file->offset = (uint64_t)offset;
        result = offset;
    }
    unlock_kernel();
    return result;
}
