/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Path lookup (syntax: ramfs.h). Task context, under the kernel lock except for path_check; an
 * inode that was found stays valid until the lock is released.
 */
#pragma once

#include "kernel/fs/inode.h"

/*
 * Checks a path's syntax, before the functions below use it. Returns 0, -EINVAL or -ENAMETOOLONG.
 */
int path_check(const char *path);

/* Finds the inode of a path. Returns 0, -ENOENT or -ENOTDIR. */
int path_walk(const char *path, struct inode **found);

/* Where the last name of a path is, or would be created. */
struct place {
    struct inode *parent; /* a directory */
    struct inode *inode;  /* the inode with this name, or NULL */
    char name[FS_NAME_MAX + 1];
};

/* Returns 0, -ENOENT, -ENOTDIR, or -EBUSY for the root, which has no name. */
int place_find(const char *path, struct place *place);
