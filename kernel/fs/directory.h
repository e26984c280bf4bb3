/* SPDX-License-Identifier: BSD-2-Clause */
/* Directories: inodes that map checked names to inodes. Task context, under the kernel lock. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "kernel/fs/inode.h"

/* Returns the inode with this name, or NULL. */
struct inode *directory_find(const struct inode *directory, const char *name);

/* See fs_readdir. */
int directory_entry(const struct inode *directory, size_t index, struct fs_entry *entry);

/* Adds a name, which must not exist yet. Returns 0 or -ENOSPC. */
int directory_add(struct inode *directory, const char *name, struct inode *inode);

/* Makes an existing name refer to `inode`. The caller frees the previous inode if it is unused. */
void directory_replace(struct inode *directory, const char *name, struct inode *inode);

/* Removes an existing name. The caller frees its inode if it is unused. */
void directory_remove(struct inode *directory, const char *name);

bool directory_is_empty(const struct inode *directory);

/* True if `inode` is `ancestor` or a descendant of it. Both must be directories with names. */
bool directory_is_below(const struct inode *inode, const struct inode *ancestor);
