/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * File system calls that take paths (ramfs.h). Task context, interrupts on. The big kernel lock
 * protects everything in kernel/fs. Each call checks the syntax of its arguments, takes the lock
 * once, and keeps it until its end, so that nothing it has found can vanish.
 */
#include "kernel/fs/ramfs.h"

#include <stdbool.h>

#include <linux/errno.h>

#include "kernel/fs/inode.h"
#include "kernel/lock/kernel_lock.h"
#include "kernel/memory/pages.h"

int fs_init(void)
{
    struct inode *root;

    lock_kernel();
    /* Half of the free memory, so that files alone cannot exhaust it. */
    block_init(pages_free_count() / 2);
    int result = inode_create(FS_DIRECTORY, NULL, &root);
    if (result == 0) {
        root->names = 1; /* "/" has no directory entry */
        root->parent = root->number;
    }
    unlock_kernel();
    return result;
}

static bool flags_are_valid(unsigned flags)
{
    const unsigned writing = FS_CREATE | FS_TRUNCATE | FS_APPEND;

    if (flags & ~(FS_READ | FS_WRITE | writing))
        return false;
    return (flags & FS_WRITE) || ((flags & FS_READ) && !(flags & writing));
}

/* Creates an inode under a name that does not exist yet. Under the lock. */
static int create_at(struct path_place *place, enum fs_kind kind, struct fs_account *account)
{
    int result = inode_create(kind, account, &place->inode);

    if (result < 0)
        return result;
    result = directory_add(place->parent, place->name, place->inode);
    inode_end_if_unused(place->inode);
    return result;
}

/* Finds the file at `path`, or creates it. Under the lock. */
static int find_or_create(const char *path, struct inode **found)
{
    struct path_place place;
    int result = path_find_place(path, &place);

    if (result == 0 && place.inode == NULL)
        result = create_at(&place, FS_FILE, place.parent->account);
    if (result == 0)
        *found = place.inode;
    return result;
}

/* Under the lock. */
static int open_path(const char *path, unsigned flags)
{
    struct inode *inode;
    int fd = file_free_descriptor(); /* first: if there is none, nothing may be created */

    if (fd < 0)
        return fd;
    int result = flags & FS_CREATE ? find_or_create(path, &inode) : path_walk(path, &inode);
    if (result != 0)
        return result;
    if (inode->kind != FS_FILE)
        return -EISDIR;
    if (flags & FS_TRUNCATE)
        inode_shrink(inode, 0);
    file_install(fd, inode, flags);
    return fd;
}

int fs_open(const char *path, unsigned flags)
{
    int result = flags_are_valid(flags) ? path_check(path) : -EINVAL;

    if (result < 0)
        return result;
    lock_kernel();
    result = open_path(path, flags);
    unlock_kernel();
    return result;
}

int fs_stat(const char *path, struct fs_stat *status)
{
    struct inode *inode;
    int result = path_check(path);

    if (result < 0)
        return result;
    lock_kernel();
    result = path_walk(path, &inode);
    if (result == 0)
        inode_stat(inode, status);
    unlock_kernel();
    return result;
}

int fs_readdir(const char *path, size_t index, struct fs_entry *entry)
{
    struct inode *inode;
    int result = path_check(path);

    if (result < 0)
        return result;
    lock_kernel();
    result = path_walk(path, &inode);
    if (result == 0)
        result = inode->kind == FS_DIRECTORY ? directory_entry(inode, index, entry) : -ENOTDIR;
    unlock_kernel();
    return result;
}

/* `account` is charged for the contents; NULL: the parent's account. Under the lock. */
static int make_directory(const char *path, struct fs_account *account)
{
    struct path_place place;
    int result = path_find_place(path, &place);

    if (result < 0)
        return result;
    if (place.inode != NULL)
        return -EEXIST;
    return create_at(&place, FS_DIRECTORY, account ? account : place.parent->account);
}

int fs_mkdir_accounted(const char *path, struct fs_account *account)
{
    int result = path_check(path);

    if (result < 0)
        return result;
    lock_kernel();
    result = make_directory(path, account);
    unlock_kernel();
    return result;
}

int fs_mkdir(const char *path)
{
    return fs_mkdir_accounted(path, NULL);
}

size_t fs_account_pages(struct fs_account *account)
{
    size_t pages = __atomic_load_n(&account->pages, __ATOMIC_RELAXED);

    if (pages == 0)
        return 0;
    /* Another thread may be freeing these pages under the kernel lock: let it finish. */
    lock_kernel();
    pages = __atomic_load_n(&account->pages, __ATOMIC_RELAXED);
    unlock_kernel();
    return pages;
}

/* Returns 0 if the inode at `place` may be removed as a `kind`. Under the lock. */
static int may_remove(const struct path_place *place, enum fs_kind kind)
{
    if (place->inode == NULL)
        return -ENOENT;
    if (place->inode->kind != kind)
        return kind == FS_FILE ? -EISDIR : -ENOTDIR;
    if (kind == FS_DIRECTORY && !directory_is_empty(place->inode))
        return -ENOTEMPTY;
    return 0;
}

/* Removes the name of a `kind`: the common part of fs_unlink and fs_rmdir. */
VISIBLE static int remove_name(const char *path, enum fs_kind kind)
{
    struct path_place place;
    int result = path_check(path);

    if (result < 0)
        return result;
    lock_kernel();
    result = path_find_place(path, &place);
    if (result == 0)
        result = may_remove(&place, kind);
    if (result == 0) {
        directory_remove(place.parent, place.name);
        inode_end_if_unused(place.inode);
    }
    unlock_kernel();
    return result;
}

int fs_unlink(const char *path)
{
    return remove_name(path, FS_FILE);
}

int fs_rmdir(const char *path)
{
    return remove_name(path, FS_DIRECTORY);
}

/* Under the lock. */
static int may_rename(const struct path_place *from, const struct path_place *to)
{
    if (from->inode == NULL)
        return -ENOENT;
    if (from->inode->kind == FS_DIRECTORY && directory_is_below(to->parent, from->inode))
        return -EINVAL;
    return to->inode != NULL ? may_remove(to, from->inode->kind) : 0;
}

/* Under the lock. */
static int replace_place(const struct path_place *from, const struct path_place *to)
{
    if (to->inode == NULL)
        return directory_add(to->parent, to->name, from->inode);
    directory_replace(to->parent, to->name, from->inode);
    inode_end_if_unused(to->inode);
    return 0;
}

/* Under the lock. Adds the new name first, so that a lack of space changes nothing. */
static int rename_place(const struct path_place *from, const struct path_place *to)
{
    if (from->inode != NULL && from->inode == to->inode)
        return 0;
    int result = may_rename(from, to);
    if (result == 0)
        result = replace_place(from, to);
    if (result < 0)
        return result;

    /* Only changes the count of names: a directory's parent is already the new one. */
    directory_remove(from->parent, from->name);
    return 0;
}

int fs_rename(const char *from, const char *to)
{
    struct path_place source, target;
    int result = path_check(from);

    if (result == 0)
        result = path_check(to);
    if (result < 0)
        return result;
    lock_kernel();
    result = path_find_place(from, &source);
    if (result == 0)
        result = path_find_place(to, &target);
    if (result == 0)
        result = rename_place(&source, &target);
    unlock_kernel();
    return result;
}
