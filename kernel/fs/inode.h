/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of the file system are for each other: inodes (contents and times of a file or
 * directory), their blocks, and how directories, paths and descriptors lead to them. An inode lives
 * while a directory entry or an open file refers to it. Task context, under the kernel lock, which
 * protects every field; an inode that was found stays valid until the lock is released.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/fs/ramfs.h"

/*
 * --- Blocks: the file system's pages, inodes included, limited to a share of memory and charged to
 * accounts. These functions take the kernel lock themselves. ---
 */

#define BLOCK_SIZE 4096

/* Limits the file system to `most` blocks. Called once, by fs_init. */
void block_init(size_t most);

/*
 * Returns a zeroed block, or NULL if the limit is reached or there is no memory. The block is
 * charged to `account` (NULL: none) until its page is back in the page allocator; pass the same
 * account to block_free.
 */
void *block_alloc(struct fs_account *account);
void block_free(void *block, struct fs_account *account);

/* --- Inodes. --- */

#define INODE_BLOCKS (FS_SIZE_MAX / BLOCK_SIZE)
#define INODE_ROOT   1 /* the first inode that inode_create makes */

struct inode {
    uint32_t number;
    enum fs_kind kind;
    uint32_t files;  /* open files */
    uint32_t names;  /* directory entries: 0 or 1; 2 during a rename */
    uint32_t parent; /* number of a named directory's parent; root: its own number */
    uint32_t block_count;
    struct fs_account *account; /* charged for its blocks, inherited by its entries; NULL: none */
    uint64_t size;
    uint64_t created, modified, accessed;
    uint8_t *blocks[INODE_BLOCKS]; /* NULL: a hole */
};

_Static_assert(sizeof(struct inode) <= BLOCK_SIZE, "an inode fits into one block");

/* Creates an inode; the caller names or frees it. Returns 0 or -ENOSPC. */
int inode_create(enum fs_kind kind, struct fs_account *account, struct inode **created);

/* Returns the inode with this number, which must be live. */
struct inode *inode_at(uint32_t number);

/* Frees the inode and its blocks unless a name or an open file still refers to it. */
void inode_end_if_unused(struct inode *inode);

/* Return the number of bytes, or an error: see fs_read and fs_write. */
int64_t inode_read(struct inode *inode, uint64_t offset, void *to, size_t length);
int64_t inode_write(struct inode *inode, uint64_t offset, const void *from, size_t length);

/*
 * Shrinks a file to 0 bytes, or a directory by whole entries; the bytes of the removed entries stay
 * in its last block.
 */
void inode_shrink(struct inode *inode, uint64_t size);

void inode_stat(const struct inode *inode, struct fs_stat *status);

/* --- Directories: inodes that map checked names to inodes. --- */

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

/* --- Paths (syntax: ramfs.h). --- */

/*
 * Checks a path's syntax, before the functions below use it, also without the kernel lock. Returns
 * 0, -EINVAL or -ENAMETOOLONG.
 */
int path_check(const char *path);

/* Finds the inode of a path. Returns 0, -ENOENT or -ENOTDIR. */
int path_walk(const char *path, struct inode **found);

/* Where the last name of a path is, or would be created. */
struct path_place {
    struct inode *parent; /* a directory */
    struct inode *inode;  /* the inode with this name, or NULL */
    char name[FS_NAME_MAX + 1];
};

/* Returns 0, -ENOENT, -ENOTDIR, or -EBUSY for the root, which has no name. */
int path_find_place(const char *path, struct path_place *place);

/*
 * --- File descriptors, for fs_open: one table for the whole kernel, to which programs' descriptors
 * refer. ---
 */

/* Returns the lowest free descriptor, or -EMFILE. file_install claims it. */
int file_free_descriptor(void);

/* Binds a free descriptor to an inode. */
void file_install(int fd, struct inode *inode, unsigned flags);
