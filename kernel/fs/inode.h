/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inodes: contents and times of a file or directory. An inode lives while a directory entry or an
 * open file refers to it. Task context, under the kernel lock, which protects every field; an inode
 * that was found stays valid until the lock is released.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernel/fs/block.h"
#include "kernel/fs/ramfs.h"

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
