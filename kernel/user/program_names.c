/* SPDX-License-Identifier: BSD-2-Clause */
/* See program_names.h. */
#include "kernel/user/program_names.h"

#include "core/lib/string.h"
#include "kernel/fs/ramfs.h"

#define DIRECTORY "/bin/"
#define NAMES_MAX 64 /* further programs are not offered, but can be run */

static struct {
    char path[sizeof(DIRECTORY) + FS_NAME_MAX];
} programs[NAMES_MAX];
static size_t program_count;

static void insert(const char *name)
{
    size_t place = program_count++;

    for (; place > 0 && strcmp(program_name(place - 1), name) > 0; place--)
        programs[place] = programs[place - 1];
    memcpy(programs[place].path, DIRECTORY, strlen(DIRECTORY));
    memcpy(programs[place].path + strlen(DIRECTORY), name, strlen(name) + 1);
}

size_t program_names_read(void)
{
    struct fs_entry entry;

    program_count = 0;
    for (size_t i = 0; program_count < NAMES_MAX && fs_readdir(DIRECTORY, i, &entry) > 0; i++)
        if (entry.kind == FS_FILE)
            insert(entry.name);
    return program_count;
}

const char *program_name(size_t index)
{
    const char *path = program_path(index);

    return path ? path + strlen(DIRECTORY) : NULL;
}

const char *program_path(size_t index)
{
    return index < program_count ? programs[index].path : NULL;
}
