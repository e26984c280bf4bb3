/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inodes: the contents and times of a file or directory, whatever names it has. An inode lives
 * while a directory entry names it or somebody holds a reference. Task context. Functions take the
 * kernel lock themselves unless they say otherwise; it covers every field but number and kind,
 * which never change.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/fs/block.h"
#include "core/fs/ramfs.h"

#define INODE_BLOCKS (FS_SIZE_MAX / BLOCK_SIZE)
#define INODE_ROOT   1 /* the first that inode_create makes */

struct inode {
    uint32_t number;
    enum fs_kind kind;
    uint32_t references;
    uint32_t names;  /* directory entries: 0 or 1, and 2 in the middle of a rename */
    uint32_t parent; /* of a directory with a name: the number of the one it is in; root: its own */
    uint32_t block_count;
    uint64_t size;
    uint64_t created, modified, accessed;
    uint8_t *blocks[INODE_BLOCKS]; /* NULL: a hole */
};

_Static_assert(sizeof(struct inode) <= BLOCK_SIZE, "an inode fits into one block");

/* A new inode without a name; the reference is the caller's. 0 or -ENOSPC. */
int inode_create(enum fs_kind kind, struct inode **created);

/* One more reference to an inode that has a name. */
struct inode *inode_get(uint32_t number);

/* One reference less; the last one of an inode without a name ends it. */
void inode_put(struct inode *inode);

/* How many bytes: see fs_read and fs_write, also for the errors. */
int64_t inode_read(struct inode *inode, uint64_t offset, void *to, size_t length);
int64_t inode_write(struct inode *inode, uint64_t offset, const void *from, size_t length);

/*
 * A file to nothing, a directory to fewer entries (whose bytes stay in its last block until others
 * take their place). The caller holds the lock or is the only one to know the inode.
 */
void inode_shrink(struct inode *inode, uint64_t size);

/* Notes the time of an access, where the last one noted is not newer than the last change. */
void inode_mark_accessed(struct inode *inode);

void inode_stat(struct inode *inode, struct fs_stat *status);
