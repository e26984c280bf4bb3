/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From paths to inodes. A look-up goes name by name and takes the kernel lock for each, holding a
 * reference to where it is; who looks up in order to change something holds the lock over both, and
 * then nothing found can vanish. Task context.
 */
#pragma once

#include "core/fs/inode.h"

/* The path's form alone: 0, -EINVAL or -ENAMETOOLONG. What follows expects a path that passed. */
int path_check(const char *path);

/* The inode that a path means, with a reference for the caller; -ENOENT, -ENOTDIR. */
int path_walk(const char *path, struct inode **found);

/* Where a path's last name is, or would be. */
struct place {
    struct inode *parent; /* a directory */
    struct inode *inode;  /* what the name means there now, NULL for nothing */
    char name[FS_NAME_MAX + 1];
};

/*
 * References to both inodes come with it. -EBUSY for the root, which has no name; -ENOENT,
 * -ENOTDIR.
 */
int place_find(const char *path, struct place *place);
void place_release(struct place *place);
