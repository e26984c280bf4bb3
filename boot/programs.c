/* SPDX-License-Identifier: BSD-2-Clause */
/* See boot.h: programs from the boot loader's archive (kernel/fs/ustar.h). Task context. */
#include "boot/boot.h"

#include <linux/errno.h>

#include "arch/memory.h"
#include "core/lib/print.h"
#include "kernel/fs/ustar.h"
#include "kernel/memory/pages.h"
#include "kernel/user/process.h"
#include "kernel/x86_64/memory/image.h"
#include "kernel/x86_64/user.h"

static int make_file(const struct ustar_entry *entry)
{
    int fd = fs_open(entry->path, FS_WRITE | FS_CREATE | FS_TRUNCATE);
    int64_t done;

    if (fd < 0)
        return fd;
    done = fs_write(fd, entry->bytes, entry->size);
    fs_close(fd);
    if (done < 0)
        return (int)done;
    return (size_t)done == entry->size ? 0 : -ENOSPC;
}

static int make_entry(const struct ustar_entry *entry)
{
    int error;

    if (entry->kind == FS_FILE)
        return make_file(entry);
    error = fs_mkdir(entry->path);
    return error == -EEXIST || error == -EBUSY ? 0 : error; /* already exists (-EBUSY: the root) */
}

/* Unpacks the archive below the root directory; the entries after an error are then missing. */
static int unpack(const void *bytes, size_t size, struct refusal *why)
{
    struct ustar archive = {.bytes = bytes, .size = size};
    struct ustar_entry entry;
    int found;

    while ((found = ustar_next(&archive, &entry, why)) > 0) {
        int error = make_entry(&entry);

        if (error)
            return refuse(why, -error, "%s cannot be made: error %d", entry.path, -error);
    }
    return found;
}

/* Unpacks the module into the file system, and frees its pages, which were reserved until now. */
static void take_module(const struct boot_information *information)
{
    const struct paging_range *module = &information->module;
    struct refusal why;

    if (unpack(direct_address(information->module_start), information->module_size, &why))
        print("Pitot: programs are missing: %s\n", why.text);
    pages_add((uintptr_t)direct_address(module->start), (module->end - module->start) / PAGE_SIZE);
}

void programs_init(const struct boot_information *information)
{
    const char *missing = arch_user_missing();

    if (missing)
        print("Pitot: no programs: %s\n", missing);
    process_init();
    if (information->module_size > 0)
        take_module(information);
    else
        print("Pitot: no programs: the boot loader gave no module\n");
}
