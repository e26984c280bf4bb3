/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Directories: inodes whose contents are names of inodes. Names are checked by kernel/fs/path.c
 * before they get here. Task context, under the kernel lock.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "kernel/fs/inode.h"

/* The inode of that name; NULL where there is none. */
struct inode *directory_find(const struct inode *directory, const char *name);

/* See fs_readdir. */
int directory_entry(const struct inode *directory, size_t index, struct fs_entry *entry);

/* A new name, which is not there yet. 0 or -ENOSPC. */
int directory_add(struct inode *directory, const char *name, struct inode *inode);

/* An existing name now means `inode`. What it meant before is the caller's to end. */
void directory_replace(struct inode *directory, const char *name, struct inode *inode);

/* Removes an existing name. What it meant is the caller's to end. */
void directory_remove(struct inode *directory, const char *name);

bool directory_is_empty(const struct inode *directory);

/*
 * True if `inode` is `ancestor` or lies somewhere below it. Both are directories that have names.
 */
bool directory_is_below(const struct inode *inode, const struct inode *ancestor);
