/* SPDX-License-Identifier: BSD-2-Clause */
/* See inode.h. An inode takes one block. Task context, under the kernel lock. */
#include "kernel/fs/inode.h"

#include <linux/errno.h>

#include "arch/cpu.h"
#include "core/lib/assert.h"
#include "core/lib/string.h"

#define INODES_MAX 512

/* Indexed by number; NULL is a free entry, and number 0 is not used. */
static struct inode *inodes[INODES_MAX];

/* Returns 0 if all numbers are in use. */
static uint32_t free_number(void)
{
    for (uint32_t number = INODE_ROOT; number < INODES_MAX; number++) {
        if (inodes[number] == NULL)
            return number;
    }
    return 0;
}

int inode_create(enum fs_kind kind, struct fs_account *account, struct inode **created)
{
    uint32_t number = free_number();
    struct inode *inode = number != 0 ? block_alloc(account) : NULL;

    if (inode == NULL)
        return -ENOSPC;
    inode->number = number;
    inode->kind = kind;
    inode->account = account;
    inode->created = inode->modified = inode->accessed = arch_clock_ns();
    inodes[number] = inode;
    *created = inode;
    return 0;
}

struct inode *inode_at(uint32_t number)
{
    assert(number < INODES_MAX && inodes[number] != NULL);
    return inodes[number];
}

void inode_end_if_unused(struct inode *inode)
{
    if (inode->names > 0 || inode->files > 0)
        return;
    inodes[inode->number] = NULL;
    inode_shrink(inode, 0);
    block_free(inode, inode->account);
}

/* Returns the bytes from `offset` to the end of its block, at most `length`. */
static size_t within_block(uint64_t offset, size_t length)
{
    size_t rest = BLOCK_SIZE - offset % BLOCK_SIZE;

    return length < rest ? length : rest;
}

int64_t inode_read(struct inode *inode, uint64_t offset, void *to, size_t length)
{
    uint8_t *bytes = to;
    size_t done = 0;

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
    if (done > 0 && inode->accessed <= inode->modified) /* only the first time after a change */
        inode->accessed = arch_clock_ns();
    return (int64_t)done;
}

/* Returns the block at `index`, allocated if it is a hole; NULL if there is no space. */
static uint8_t *block_to_write(struct inode *inode, size_t index)
{
    if (inode->blocks[index] == NULL) {
        inode->blocks[index] = block_alloc(inode->account);
        if (inode->blocks[index] != NULL)
            inode->block_count++;
    }
    return inode->blocks[index];
}

/* Returns the number of bytes written, which is less than `length` if there is no space. */
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

    size_t done = write_blocks(inode, offset, from, length);
    if (done == 0)
        return -ENOSPC;
    inode->modified = arch_clock_ns();
    if (offset + done > inode->size)
        inode->size = offset + done;
    return (int64_t)done;
}

void inode_shrink(struct inode *inode, uint64_t size)
{
    size_t kept = (size + BLOCK_SIZE - 1) / BLOCK_SIZE;
    size_t end = (inode->size + BLOCK_SIZE - 1) / BLOCK_SIZE;

    assert(size <= inode->size);
    for (size_t i = kept; i < end; i++) {
        if (inode->blocks[i] == NULL)
            continue;
        block_free(inode->blocks[i], inode->account);
        inode->blocks[i] = NULL;
        inode->block_count--;
    }
    inode->size = size;
    inode->modified = arch_clock_ns();
}

void inode_stat(const struct inode *inode, struct fs_stat *status)
{
    *status = (struct fs_stat){
        .inode = inode->number,
        .kind = inode->kind,
        .size = inode->size,
        .blocks = inode->block_count,
        .created = inode->created,
        .modified = inode->modified,
        .accessed = inode->accessed,
    };
}
