/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Directories as arrays of fixed entries without holes: the last one moves to where one is removed,
 * so a directory is as short as it can be and an empty one has no blocks. Called by core/fs/path.c
 * and core/fs/ramfs.c in task context.
 */
#include "core/fs/directory.h"

#include <linux/errno.h>

#include "arch/arch.h"
#include "core/assert.h"
#include "core/fs/visible.h"
#include "core/lock/kernel_lock.h"
#include "core/string.h"

struct slot {
    char name[FS_NAME_MAX + 1];
    uint32_t inode;
};

#define SLOTS_IN_BLOCK (BLOCK_SIZE / sizeof(struct slot))

_Static_assert(BLOCK_SIZE % sizeof(struct slot) == 0, "no entry crosses blocks");

static size_t slot_count(const struct inode *directory)
{
    return directory->size / sizeof(struct slot);
}

static struct slot *slot_at(const struct inode *directory, size_t index)
{
    struct slot *slots = (struct slot *)directory->blocks[index / SLOTS_IN_BLOCK];

    return &slots[index % SLOTS_IN_BLOCK];
}

/* NULL where the name is not there. Under the lock. */
VISIBLE static struct slot *directory_scan(const struct inode *directory, const char *name)
{
    size_t count = slot_count(directory);

    for (size_t i = 0; i < count; i++) {
        struct slot *slot = slot_at(directory, i);
        if (strcmp(slot->name, name) == 0)
            return slot;
    }
    return NULL;
}

int directory_find(struct inode *directory, const char *name, struct inode **found)
{
    int result = -ENOENT;

    lock_kernel();
    const struct slot *slot = directory_scan(directory, name);
    if (slot != NULL) {
        *found = inode_get(slot->inode);
        result = 0;
    }
    unlock_kernel();
    return result;
}

int directory_entry(struct inode *directory, size_t index, struct fs_entry *entry)
{
    int result = 0;

    lock_kernel();
    if (index < slot_count(directory)) {
        const struct slot *slot = slot_at(directory, index);
        struct inode *inode = inode_get(slot->inode);
        memcpy(entry->name, slot->name, sizeof(entry->name));
        entry->inode = slot->inode;
        entry->kind = inode->kind;
        inode_put(inode);
        result = 1;
    }
    unlock_kernel();
    return result;
}

static void named_in(struct inode *directory, struct inode *inode)
{
    inode->names++;
    if (inode->kind == FS_DIRECTORY)
        inode->parent = directory->number;
}

int directory_add(struct inode *directory, const char *name, struct inode *inode)
{
    struct slot slot = {.inode = inode->number};

    assert(directory->names > 0 && directory_scan(directory, name) == NULL);
    memcpy(slot.name, name, strlen(name) + 1);

    /* An entry lies within one block: it is written whole or not at all. */
    int64_t written = inode_write(directory, directory->size, &slot, sizeof(slot));
    if (written < 0)
        return -ENOSPC;
    named_in(directory, inode);
    return 0;
}

/* Under the lock, while the caller holds a reference to the inode that loses its name. */
static void unnamed(uint32_t number)
{
    struct inode *inode = inode_get(number);

    assert(inode->references > 1 && inode->names > 0);
    inode->names--;
    inode_put(inode);
}

void directory_replace(struct inode *directory, const char *name, struct inode *inode)
{
    struct slot *slot = directory_scan(directory, name);

    assert(slot != NULL);
    unnamed(slot->inode);
    slot->inode = inode->number;
    named_in(directory, inode);
    directory->modified = arch_clock_ns();
}

void directory_remove(struct inode *directory, const char *name)
{
    struct slot *slot = directory_scan(directory, name);

    assert(slot != NULL);
    unnamed(slot->inode);
    *slot = *slot_at(directory, slot_count(directory) - 1);
    inode_shrink(directory, directory->size - sizeof(struct slot));
}

bool directory_is_empty(const struct inode *directory)
{
    return directory->size == 0;
}

bool directory_is_below(struct inode *inode, const struct inode *ancestor)
{
    uint32_t number = inode->number;

    while (number != ancestor->number && number != INODE_ROOT) {
        struct inode *step = inode_get(number);
        number = step->parent;
        inode_put(step);
    }
    return number == ancestor->number;
}
