/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The file system's calls (what they promise: ramfs.h). Called by workloads and commands in task
 * context, interrupts on.
 *
 * Locking: everything in core/fs is covered by the big kernel lock. A call that changes names holds
 * it from the first look-up to the change; what need not happen in one piece takes it where it is
 * needed, further down, and inodes that lost their last name are ended after the lock is free
 * again. So the outermost lock_kernel is reached at many depths.
 */
#include "core/fs/ramfs.h"

#include <stdbool.h>

#include <linux/errno.h>

#include "core/fs/block.h"
#include "core/fs/directory.h"
#include "core/fs/file.h"
#include "core/fs/inode.h"
#include "core/fs/path.h"
#include "core/fs/visible.h"
#include "core/lock/kernel_lock.h"
#include "core/memory/pages.h"

int fs_init(void)
{
    struct inode *root;

    /* Half of what is free: files alone cannot use the memory up. */
    block_init(pages_free_count() / 2);

    int result = inode_create(FS_DIRECTORY, &root);
    if (result < 0)
        return result;

    lock_kernel();
    root->names = 1; /* "/", which no directory holds */
    root->parent = root->number;
    unlock_kernel();
    inode_put(root);
    return 0;
}

static bool flags_are_valid(unsigned flags)
{
    const unsigned writing = FS_CREATE | FS_TRUNCATE | FS_APPEND;

    if (flags & ~(FS_READ | FS_WRITE | writing))
        return false;
    return (flags & FS_WRITE) || ((flags & FS_READ) && !(flags & writing));
}

/*
 * A new inode where the name means nothing yet; it goes with the place if it gets no name. Under
 * the lock.
 */
VISIBLE static int create_at(struct place *place, enum fs_kind kind)
{
    int result = inode_create(kind, &place->inode);

    if (result == 0)
        result = directory_add(place->parent, place->name, place->inode);
    return result;
}

/* The file at `path`, made if it is not there, with a reference for the caller. */
VISIBLE static int find_or_create(const char *path, struct inode **found)
{
    struct place place;

    lock_kernel();
    int result = place_find(path, &place);
    if (result == 0) {
        if (place.inode == NULL)
            result = create_at(&place, FS_FILE);
        if (result == 0) {
            *found = place.inode;
            place.inode = NULL; /* the reference leaves with `found` */
        }
        place_release(&place);
    }
    unlock_kernel();
    return result;
}

VISIBLE static int open_inode(int fd, struct inode *inode, unsigned flags)
{
    if (inode->kind != FS_FILE) {
        inode_put(inode);
        return -EISDIR;
    }
    if (flags & FS_TRUNCATE) {
        lock_kernel();
        inode_shrink(inode, 0);
        unlock_kernel();
    }
    file_install(fd, inode, flags);
    return 0;
}

int fs_open(const char *path, unsigned flags)
{
    struct inode *inode;
    int result = flags_are_valid(flags) ? path_check(path) : -EINVAL;

    if (result < 0)
        return result;

    int fd = file_claim();
    if (fd < 0)
        return fd;

    result = flags & FS_CREATE ? find_or_create(path, &inode) : path_walk(path, &inode);
    if (result == 0)
        result = open_inode(fd, inode, flags);
    if (result < 0) {
        file_abandon(fd);
        return result;
    }
    return fd;
}

int fs_close(int fd)
{
    int result = file_close(fd);

    STAY_IN_CHAIN();
    return result;
}

int64_t fs_read(int fd, void *to, size_t length)
{
    struct file *file = file_get(fd);

    if (file == NULL)
        return -EBADF;
    int64_t done = file_read(file, to, length);
    file_put(file);
    return done;
}

int64_t fs_write(int fd, const void *from, size_t length)
{
    struct file *file = file_get(fd);

    if (file == NULL)
        return -EBADF;
    int64_t done = file_write(file, from, length);
    file_put(file);
    return done;
}

int64_t fs_seek(int fd, int64_t offset, enum fs_whence whence)
{
    struct file *file = file_get(fd);

    if (file == NULL)
        return -EBADF;
    int64_t result = file_seek(file, offset, whence);
    file_put(file);
    return result;
}

int fs_stat(const char *path, struct fs_stat *status)
{
    struct inode *inode;
    int result = path_check(path);

    if (result == 0)
        result = path_walk(path, &inode);
    if (result < 0)
        return result;
    inode_stat(inode, status);
    inode_put(inode);
    return 0;
}

int fs_readdir(const char *path, size_t index, struct fs_entry *entry)
{
    struct inode *inode;
    int result = path_check(path);

    if (result == 0)
        result = path_walk(path, &inode);
    if (result < 0)
        return result;
    result = inode->kind == FS_DIRECTORY ? directory_entry(inode, index, entry) : -ENOTDIR;
    inode_put(inode);
    return result;
}

int fs_mkdir(const char *path)
{
    struct place place;
    int result = path_check(path);

    if (result < 0)
        return result;

    lock_kernel();
    result = place_find(path, &place);
    if (result == 0) {
        result = place.inode == NULL ? create_at(&place, FS_DIRECTORY) : -EEXIST;
        place_release(&place);
    }
    unlock_kernel();
    return result;
}

/* 0 if what is at `place` may be removed as a `kind`. Under the lock. */
static int may_remove(const struct place *place, enum fs_kind kind)
{
    if (place->inode == NULL)
        return -ENOENT;
    if (place->inode->kind != kind)
        return kind == FS_FILE ? -EISDIR : -ENOTDIR;
    if (kind == FS_DIRECTORY && !directory_is_empty(place->inode))
        return -ENOTEMPTY;
    return 0;
}

/*
 * Takes the name away from a `kind`; the inode's last reference may then be the one that `removed`
 * gets.
 */
VISIBLE static int remove_name(const char *path, enum fs_kind kind, struct inode **removed)
{
    struct place place;

    lock_kernel();
    int result = place_find(path, &place);
    if (result == 0) {
        result = may_remove(&place, kind);
        if (result == 0) {
            directory_remove(place.parent, place.name);
            *removed = place.inode;
            place.inode = NULL;
        }
        place_release(&place);
    }
    unlock_kernel();
    return result;
}

int fs_unlink(const char *path)
{
    struct inode *removed;
    int result = path_check(path);

    if (result == 0)
        result = remove_name(path, FS_FILE, &removed);
    if (result == 0)
        inode_put(removed);
    return result;
}

int fs_rmdir(const char *path)
{
    struct inode *removed;
    int result = path_check(path);

    if (result == 0)
        result = remove_name(path, FS_DIRECTORY, &removed);
    if (result == 0)
        inode_put(removed);
    return result;
}

/* Under the lock. */
static int may_rename(const struct place *from, const struct place *to)
{
    if (from->inode == NULL)
        return -ENOENT;
    if (from->inode->kind == FS_DIRECTORY && directory_is_below(to->parent, from->inode))
        return -EINVAL;
    return to->inode != NULL ? may_remove(to, from->inode->kind) : 0;
}

/* Under the lock. The new name first: where there is no space for it, nothing has happened. */
VISIBLE static int rename_place(struct place *from, struct place *to)
{
    int result = may_rename(from, to);

    if (result < 0)
        return result;
    if (to->inode != NULL)
        directory_replace(to->parent, to->name, from->inode);
    else
        result = directory_add(to->parent, to->name, from->inode);
    if (result < 0)
        return result;

    /*
     * Removing the old name sets nothing but the count of names: the directory's parent is the new
     * one.
     */
    directory_remove(from->parent, from->name);
    return 0;
}

/* `replaced` gets the reference to what bore the new name before, NULL if nothing did. */
VISIBLE static int rename_paths(const char *from, const char *to, struct inode **replaced)
{
    struct place source, target;

    lock_kernel();
    int result = place_find(from, &source);
    if (result == 0) {
        result = place_find(to, &target);
        if (result == 0) {
            if (source.inode == NULL || source.inode != target.inode)
                result = rename_place(&source, &target);
            *replaced = target.inode;
            target.inode = NULL;
            place_release(&target);
        }
        place_release(&source);
    }
    unlock_kernel();
    return result;
}

int fs_rename(const char *from, const char *to)
{
    struct inode *replaced = NULL;
    int result = path_check(from);

    if (result == 0)
        result = path_check(to);
    if (result == 0)
        result = rename_paths(from, to, &replaced);
    if (replaced != NULL)
        inode_put(replaced);
    return result;
}
