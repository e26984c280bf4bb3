/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Path lookup: from paths to inodes. Task context. All functions except path_check run under the
 * kernel lock, and an inode that was found stays valid until the lock is released.
 */
#pragma once

#include "kernel/fs/inode.h"

/*
 * Checks only the syntax of a path: 0, -EINVAL or -ENAMETOOLONG. The functions below require a path
 * that passed.
 */
int path_check(const char *path);

/* Finds the inode of a path; -ENOENT, -ENOTDIR. */
int path_walk(const char *path, struct inode **found);

/* Where the last name of a path is, or would be created. */
struct place {
    struct inode *parent; /* a directory */
    struct inode *inode;  /* the inode with this name, or NULL */
    char name[FS_NAME_MAX + 1];
};

/* -EBUSY for the root, which has no name; -ENOENT, -ENOTDIR. */
int place_find(const char *path, struct place *place);
