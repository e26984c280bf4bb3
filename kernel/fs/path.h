/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From paths to inodes. Task context; all but path_check under the kernel lock, and what is found
 * stays until it is given back.
 */
#pragma once

#include "kernel/fs/inode.h"

/* The path's form alone: 0, -EINVAL or -ENAMETOOLONG. What follows expects a path that passed. */
int path_check(const char *path);

/* The inode that a path means; -ENOENT, -ENOTDIR. */
int path_walk(const char *path, struct inode **found);

/* Where a path's last name is, or would be. */
struct place {
    struct inode *parent; /* a directory */
    struct inode *inode;  /* what the name means there now, NULL for nothing */
    char name[FS_NAME_MAX + 1];
};

/* -EBUSY for the root, which has no name; -ENOENT, -ENOTDIR. */
int place_find(const char *path, struct place *place);
