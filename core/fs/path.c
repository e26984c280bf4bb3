/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Path look-up (its rules: path.h, the paths' form: ramfs.h). Called by core/fs/ramfs.c in task
 * context, with the kernel lock held or not.
 */
#include "core/fs/path.h"

#include <stdbool.h>

#include <linux/errno.h>

#include "core/fs/directory.h"
#include "core/fs/visible.h"
#include "core/string.h"

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

/* Takes the next name off the path; false where there is none left. */
static bool next_name(const char **path, char name[FS_NAME_MAX + 1])
{
    const char *start = skip_slashes(*path);
    size_t length = name_length(start);

    memcpy(name, start, length);
    name[length] = '\0';
    *path = start + length;
    return length > 0;
}

/*
 * From a directory to what it calls `name`, trading the reference to the one for the other; none is
 * left on an error.
 */
VISIBLE static int path_step(struct inode **inode, const char *name)
{
    struct inode *from = *inode;
    int result = -ENOTDIR;

    if (from->kind == FS_DIRECTORY)
        result = directory_find(from, name, inode);
    inode_put(from);
    return result;
}

int path_walk(const char *path, struct inode **found)
{
    char name[FS_NAME_MAX + 1];
    struct inode *inode = inode_get(INODE_ROOT);

    while (next_name(&path, name)) {
        int result = path_step(&inode, name);
        if (result < 0)
            return result;
    }
    *found = inode;
    return 0;
}

/* The directory that holds the path's last name, which goes into `name`. */
VISIBLE static int path_walk_parent(const char *path, struct inode **parent,
                                    char name[FS_NAME_MAX + 1])
{
    struct inode *inode = inode_get(INODE_ROOT);
    int result = next_name(&path, name) ? 0 : -EBUSY;

    while (result == 0 && *skip_slashes(path) != '\0') {
        result = path_step(&inode, name);
        if (result < 0)
            return result;
        next_name(&path, name);
    }
    if (result == 0 && inode->kind != FS_DIRECTORY)
        result = -ENOTDIR;
    if (result < 0)
        inode_put(inode);
    else
        *parent = inode;
    return result;
}

int place_find(const char *path, struct place *place)
{
    int result = path_walk_parent(path, &place->parent, place->name);

    if (result < 0)
        return result;
    if (directory_find(place->parent, place->name, &place->inode) < 0)
        place->inode = NULL;
    return 0;
}

void place_release(struct place *place)
{
    if (place->inode != NULL)
        inode_put(place->inode);
    inode_put(place->parent);
    STAY_IN_CHAIN();
}
