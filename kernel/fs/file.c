/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of open files, and the calls on them (ramfs.h). Task context, interrupts on. Each call
 * takes the kernel lock once: offset and end must not move between lookup and use.
 */
#include "kernel/fs/inode.h"

#include <linux/errno.h>

#include "core/lib/assert.h"
#include "kernel/lock/kernel_lock.h"

struct file {
    struct inode *inode; /* NULL: the descriptor is free */
    unsigned flags;      /* enum fs_open_flags */
    uint64_t offset;
};

static struct file files[FS_OPEN_MAX];

int file_free_descriptor(void)
{
    for (int fd = 0; fd < FS_OPEN_MAX; fd++) {
        if (files[fd].inode == NULL)
            return fd;
    }
    return -EMFILE;
}

void file_install(int fd, struct inode *inode, unsigned flags)
{
    assert(files[fd].inode == NULL);
    files[fd] = (struct file){.inode = inode, .flags = flags};
    inode->files++;
}

/* Returns NULL if `fd` is not an open file or was not opened for `use`. Under the lock. */
static struct file *file_for(int fd, unsigned use)
{
    if (fd < 0 || fd >= FS_OPEN_MAX || files[fd].inode == NULL || (use & ~files[fd].flags))
        return NULL;
    return &files[fd];
}

int fs_close(int fd)
{
    int result = -EBADF;

    lock_kernel();
    struct file *file = file_for(fd, 0);
    if (file != NULL) {
        struct inode *inode = file->inode;
        file->inode = NULL;
        inode->files--;
        inode_end_if_unused(inode);
        result = 0;
    }
    unlock_kernel();
    return result;
}

int64_t fs_read(int fd, void *to, size_t length)
{
    int64_t done = -EBADF;

    lock_kernel();
    struct file *file = file_for(fd, FS_READ);
    if (file != NULL) {
        done = inode_read(file->inode, file->offset, to, length);
        file->offset += (uint64_t)done;
    }
    unlock_kernel();
    return done;
}

int64_t fs_write(int fd, const void *from, size_t length)
{
    int64_t done = -EBADF;

    lock_kernel();
    struct file *file = file_for(fd, FS_WRITE);
    if (file != NULL) {
        if (file->flags & FS_APPEND)
            file->offset = file->inode->size;
        done = inode_write(file->inode, file->offset, from, length);
        if (done > 0)
            file->offset += (uint64_t)done;
    }
    unlock_kernel();
    return done;
}

/* Under the lock. */
static int64_t seek_in(struct file *file, int64_t offset, enum fs_whence whence)
{
    if (offset < -FS_SIZE_MAX || offset > FS_SIZE_MAX)
        return -EINVAL;
    if (whence == FS_SEEK_CURRENT)
        offset += (int64_t)file->offset;
    else if (whence == FS_SEEK_END)
        offset += (int64_t)file->inode->size;
    if (offset < 0 || offset > FS_SIZE_MAX)
        return -EINVAL;
    file->offset = (uint64_t)offset;
    return offset;
}

int64_t fs_seek(int fd, int64_t offset, enum fs_whence whence)
{
    int64_t result = -EBADF;

    lock_kernel();
    struct file *file = file_for(fd, 0);
    if (file != NULL)
        result = seek_in(file, offset, whence);
    unlock_kernel();
    return result;
}
