/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inodes: the contents and times of a file or directory, whatever names it has. An inode lives
 * while a directory entry names it or an open file means it. Task context, under the kernel lock,
 * which covers every field; what is found under it stays until it is given back.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernel/fs/block.h"
#include "kernel/fs/ramfs.h"

#define INODE_BLOCKS (FS_SIZE_MAX / BLOCK_SIZE)
#define INODE_ROOT   1 /* the first that inode_create makes */

struct inode {
    uint32_t number;
    enum fs_kind kind;
    uint32_t files;  /* open files */
    uint32_t names;  /* directory entries: 0 or 1, and 2 in the middle of a rename */
    uint32_t parent; /* of a directory with a name: the number of the one it is in; root: its own */
    uint32_t block_count;
    struct fs_account *account; /* for its blocks, and for what is made in it; NULL: none */
    uint64_t size;
    uint64_t created, modified, accessed;
    uint8_t *blocks[INODE_BLOCKS]; /* NULL: a hole */
};

_Static_assert(sizeof(struct inode) <= BLOCK_SIZE, "an inode fits into one block");

/* A new inode, which the caller names or ends. 0 or -ENOSPC. */
int inode_create(enum fs_kind kind, struct fs_account *account, struct inode **created);

/* An inode that lives. */
struct inode *inode_at(uint32_t number);

/* Gives its blocks back if neither a name nor an open file is left. */
void inode_end_if_unused(struct inode *inode);

/* How many bytes: see fs_read and fs_write, also for the errors. */
int64_t inode_read(struct inode *inode, uint64_t offset, void *to, size_t length);
int64_t inode_write(struct inode *inode, uint64_t offset, const void *from, size_t length);

/*
 * A file to nothing, a directory to fewer entries (whose bytes stay in its last block until others
 * take their place).
 */
void inode_shrink(struct inode *inode, uint64_t size);

void inode_stat(const struct inode *inode, struct fs_stat *status);
