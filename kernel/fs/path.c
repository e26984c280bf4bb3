/* SPDX-License-Identifier: BSD-2-Clause */
/* See path.h. Task context, under the kernel lock. */
#include "kernel/fs/path.h"

#include <stdbool.h>

#include <linux/errno.h>

#include "core/lib/string.h"
#include "kernel/fs/directory.h"

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

int place_find(const char *path, struct place *place)
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
