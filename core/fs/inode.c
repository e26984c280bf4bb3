/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inodes (what they are: inode.h). Each is one block: a header, then the pointers to the blocks of
 * its contents. Called by the other files of core/fs in task context, at any depth of the kernel
 * lock.
 */
#include "core/fs/inode.h"

#include <stdbool.h>

#include <linux/errno.h>

#include "arch/arch.h"
#include "core/assert.h"
#include "core/fs/visible.h"
#include "core/lock/kernel_lock.h"
#include "core/string.h"

#define INODES_MAX 512

/* By number; NULL is free, and number 0 is nobody's. The kernel lock covers it. */
static struct inode *inodes[INODES_MAX];

/* 0 where all are taken. */
static uint32_t free_number(void)
{
    for (uint32_t number = INODE_ROOT; number < INODES_MAX; number++) {
        if (inodes[number] == NULL)
            return number;
    }
    return 0;
}

int inode_create(enum fs_kind kind, struct inode **created)
{
    int result = -ENOSPC;

    lock_kernel();
    uint32_t number = free_number();
    struct inode *inode = number != 0 ? block_alloc() : NULL;
    if (inode != NULL) {
        inode->number = number;
        inode->kind = kind;
        inode->references = 1;
        inode->created = inode->modified = inode->accessed = arch_clock_ns();
        inodes[number] = inode;
        *created = inode;
        result = 0;
    }
    unlock_kernel();
    return result;
}

struct inode *inode_get(uint32_t number)
{
    lock_kernel();
    assert(number < INODES_MAX && inodes[number] != NULL);
    struct inode *inode = inodes[number];
    inode->references++;
    unlock_kernel();
    return inode;
}

VISIBLE static void inode_destroy(struct inode *inode)
{
    inode_shrink(inode, 0);
    block_free(inode);
    STAY_IN_CHAIN();
}

void inode_put(struct inode *inode)
{
    lock_kernel();
    assert(inode->references > 0);
    inode->references--;
    bool last = inode->references == 0 && inode->names == 0;
    if (last)
        inodes[inode->number] = NULL;
    unlock_kernel();

    /*
     * Nobody can reach it any more, so its blocks go one by one without keeping others out for
     * long.
     */
    if (last)
        inode_destroy(inode);
    STAY_IN_CHAIN();
}

/* How far from `offset` to the end of its block, `length` at most. */
static size_t within_block(uint64_t offset, size_t length)
{
    size_t rest = BLOCK_SIZE - offset % BLOCK_SIZE;

    return length < rest ? length : rest;
}

int64_t inode_read(struct inode *inode, uint64_t offset, void *to, size_t length)
{
    uint8_t *bytes = to;
    size_t done = 0;

    lock_kernel();
    if (offset >= inode->size)
        length = 0;
    else if (length > inode->size - offset)
        length = inode->size - offset;

    while (done < length) {
        size_t part = within_block(offset + done, length - done);
        const uint8_t *block = inode->blocks[(offset + done) / BLOCK_SIZE];
        if (block != NULL)
            memcpy(bytes + done, block + (offset + done) % BLOCK_SIZE, part);
        else
            memset(bytes + done, 0, part);
        done += part;
    }
    unlock_kernel();
    return (int64_t)done;
}

/*
 * The block at `index`, allocated if it is a hole; NULL where there is no space for it. Under the
 * lock.
 */
static uint8_t *block_to_write(struct inode *inode, size_t index)
{
    if (inode->blocks[index] == NULL) {
        inode->blocks[index] = block_alloc();
        if (inode->blocks[index] != NULL)
            inode->block_count++;
    }
    return inode->blocks[index];
}

/* Returns how much there was space for. Under the lock. */
static size_t write_blocks(struct inode *inode, uint64_t offset, const uint8_t *from, size_t length)
{
    size_t done = 0;

    while (done < length) {
        size_t part = within_block(offset + done, length - done);
        uint8_t *block = block_to_write(inode, (offset + done) / BLOCK_SIZE);
        if (block == NULL)
            break;
        memcpy(block + (offset + done) % BLOCK_SIZE, from + done, part);
        done += part;
    }
    return done;
}

int64_t inode_write(struct inode *inode, uint64_t offset, const void *from, size_t length)
{
    if (length == 0)
        return 0;
    if (offset >= FS_SIZE_MAX)
        return -EFBIG;
    if (length > FS_SIZE_MAX - offset)
        length = FS_SIZE_MAX - offset;

    lock_kernel();
    size_t done = write_blocks(inode, offset, from, length);
    if (done > 0) {
        inode->modified = arch_clock_ns();
        if (offset + done > inode->size)
            inode->size = offset + done;
    }
    unlock_kernel();
    return done > 0 ? (int64_t)done : -ENOSPC;
}

void inode_shrink(struct inode *inode, uint64_t size)
{
    size_t kept = (size + BLOCK_SIZE - 1) / BLOCK_SIZE;
    size_t end = (inode->size + BLOCK_SIZE - 1) / BLOCK_SIZE;

    assert(size <= inode->size);
    for (size_t i = kept; i < end; i++) {
        if (inode->blocks[i] == NULL)
            continue;
        block_free(inode->blocks[i]);
        inode->blocks[i] = NULL;
        inode->block_count--;
    }
    inode->size = size;
    inode->modified = arch_clock_ns();
}

void inode_mark_accessed(struct inode *inode)
{
    lock_kernel();
    if (inode->accessed <= inode->modified)
        inode->accessed = arch_clock_ns();
    unlock_kernel();
    STAY_IN_CHAIN();
}

void inode_stat(struct inode *inode, struct fs_stat *status)
{
    lock_kernel();
    *status = (struct fs_stat){
        .inode = inode->number,
        .kind = inode->kind,
        .size = inode->size,
        .blocks = inode->block_count,
        .created = inode->created,
        .modified = inode->modified,
        .accessed = inode->accessed,
    };
    unlock_kernel();
    STAY_IN_CHAIN();
}
