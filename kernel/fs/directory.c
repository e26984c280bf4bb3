/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Directories, and the paths through them. A directory is an array of fixed-size entries without
 * holes. Removing an entry moves the last one into its place, so an empty one has no blocks. Task
 * context, under the kernel lock.
 */
#include <linux/errno.h>
#include <stdbool.h>

#include "arch/cpu.h"
#include "core/lib/assert.h"
#include "core/lib/string.h"
#include "kernel/fs/inode.h"

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

/* Returns NULL if the name does not exist. */
static struct slot *find_slot(const struct inode *directory, const char *name)
{
    size_t count = slot_count(directory);

    for (size_t i = 0; i < count; i++) {
        struct slot *slot = slot_at(directory, i);
        if (strcmp(slot->name, name) == 0)
            return slot;
    }
    return NULL;
}

/* Returns the inode with this name, or NULL. */
static struct inode *directory_find(const struct inode *directory, const char *name)
{
    const struct slot *slot = find_slot(directory, name);

    return slot != NULL ? inode_at(slot->inode) : NULL;
}

int directory_entry(const struct inode *directory, size_t index, struct fs_entry *entry)
{
    if (index >= slot_count(directory))
        return 0;

    const struct slot *slot = slot_at(directory, index);
    memcpy(entry->name, slot->name, sizeof(entry->name));
    entry->inode = slot->inode;
    entry->kind = inode_at(slot->inode)->kind;
    return 1;
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

    assert(directory->names > 0 && find_slot(directory, name) == NULL);
    memcpy(slot.name, name, strlen(name) + 1);

    /* An entry never crosses a block, so it is written completely or not at all. */
    int64_t written = inode_write(directory, directory->size, &slot, sizeof(slot));
    if (written < 0)
        return -ENOSPC;
    named_in(directory, inode);
    return 0;
}

static void unnamed(struct inode *inode)
{
    assert(inode->names > 0);
    inode->names--;
}

void directory_replace(struct inode *directory, const char *name, struct inode *inode)
{
    struct slot *slot = find_slot(directory, name);

    assert(slot != NULL);
    unnamed(inode_at(slot->inode));
    slot->inode = inode->number;
    named_in(directory, inode);
    directory->modified = arch_clock_ns();
}

void directory_remove(struct inode *directory, const char *name)
{
    struct slot *slot = find_slot(directory, name);

    assert(slot != NULL);
    unnamed(inode_at(slot->inode));
    *slot = *slot_at(directory, slot_count(directory) - 1);
    inode_shrink(directory, directory->size - sizeof(struct slot));
}

bool directory_is_empty(const struct inode *directory)
{
    return directory->size == 0;
}

bool directory_is_below(const struct inode *inode, const struct inode *ancestor)
{
    while (inode != ancestor && inode->number != INODE_ROOT)
        inode = inode_at(inode->parent);
    return inode == ancestor;
}

/* --- Paths. --- */

static const char *skip_slashes(const char *path)
{
    while (*path == '/')
        path++;
    return path;
}

static size_t name_length(const char *path)
{
    size_t length = 0;

    while (path[length] != '\0' && path[length] != '/')
        length++;
    return length;
}

static bool is_dots(const char *name, size_t length)
{
    return (length == 1 && name[0] == '.') || (length == 2 && name[0] == '.' && name[1] == '.');
}

int path_check(const char *path)
{
    if (path[0] != '/')
        return -EINVAL;
    if (strlen(path) > FS_PATH_MAX)
        return -ENAMETOOLONG;

    for (path = skip_slashes(path); *path != '\0'; path = skip_slashes(path)) {
        size_t length = name_length(path);
        if (is_dots(path, length))
            return -EINVAL;
        if (length > FS_NAME_MAX)
            return -ENAMETOOLONG;
        path += length;
    }
    return 0;
}

/* Takes the next name off the path. Returns false if none is left. */
static bool next_name(const char **path, char name[FS_NAME_MAX + 1])
{
    const char *start = skip_slashes(*path);
    size_t length = name_length(start);

    memcpy(name, start, length);
    name[length] = '\0';
    *path = start + length;
    return length > 0;
}

/* Steps from a directory to its entry `name`. */
static int path_step(struct inode **inode, const char *name)
{
    if ((*inode)->kind != FS_DIRECTORY)
        return -ENOTDIR;

    struct inode *next = directory_find(*inode, name);
    if (next == NULL)
        return -ENOENT;
    *inode = next;
    return 0;
}

int path_walk(const char *path, struct inode **found)
{
    char name[FS_NAME_MAX + 1];
    struct inode *inode = inode_at(INODE_ROOT);
    int result = 0;

    while (result == 0 && next_name(&path, name))
        result = path_step(&inode, name);
    *found = inode;
    return result;
}

int path_find_place(const char *path, struct path_place *place)
{
    struct inode *inode = inode_at(INODE_ROOT);
    int result = next_name(&path, place->name) ? 0 : -EBUSY;

    while (result == 0 && *skip_slashes(path) != '\0') {
        result = path_step(&inode, place->name);
        next_name(&path, place->name);
    }
    if (result == 0 && inode->kind != FS_DIRECTORY)
        result = -ENOTDIR;
    if (result < 0)
        return result;
    place->parent = inode;
    place->inode = directory_find(inode, place->name);
    return 0;
}
