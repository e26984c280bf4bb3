/* SPDX-License-Identifier: BSD-2-Clause */
/* The command `ls`: lists a directory, with the memory that its files take. Task context. */
#include <linux/errno.h>

#include "arch/memory.h"
#include "core/lib/print.h"
#include "core/lib/string.h"
#include "core/pitot.h"
#include "kernel/console/input.h"
#include "kernel/fs/ramfs.h"

#define PAGE_KIB (PAGE_SIZE / 1024)

/* A file may be removed while its directory is read; it is then left out. */
static void print_entry(const char *directory, const struct fs_entry *entry)
{
    const char *between = directory[strlen(directory) - 1] == '/' ? "" : "/";
    char path[FS_PATH_MAX + 1 + sizeof(entry->name)];
    struct fs_stat status;

    print_into(path, sizeof(path), "%s%s%s", directory, between, entry->name);
    if (fs_stat(path, &status) == 0)
        pitot_print("%10llu %10llu  %s%s\n", (unsigned long long)status.size,
                    (unsigned long long)status.blocks * PAGE_KIB, entry->name,
                    status.kind == FS_DIRECTORY ? "/" : "");
}

static int ls_run(int argc, char **argv)
{
    const char *directory = argc > 1 ? argv[1] : "/";
    struct fs_entry entry;
    int found;

    if (argc > 2 || directory[0] != '/' || strlen(directory) > FS_PATH_MAX) {
        print("ls: give one directory, from / on: ls /bin\n");
        return -EINVAL;
    }
    found = fs_readdir(directory, 0, &entry);
    if (found < 0) {
        print("ls: %s is not a directory; `ls` lists those of /\n", directory);
        return found;
    }
    pitot_print("     bytes        KiB  name\n");
    for (size_t i = 1; found > 0 && !input_interrupted(); i++) {
        print_entry(directory, &entry);
        found = fs_readdir(directory, i, &entry);
    }
    return input_interrupted() ? -EINTR : 0;
}

PITOT_COMMAND(ls, "[DIRECTORY]", "lists files, and what they take of the memory", ls_run);
