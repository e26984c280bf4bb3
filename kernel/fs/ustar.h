/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the archive of user programs, made by `tar --format=ustar`: files and directories only.
 * Source: POSIX.1-1988, pax(1), "ustar Interchange Format". Pure, any context.
 */
#pragma once

#include <stddef.h>

#include "core/lib/refusal.h"
#include "kernel/fs/ramfs.h"

struct ustar {
    const unsigned char *bytes;
    size_t size;
    size_t at; /* offset of the next header, 0 at first */
};

struct ustar_entry {
    char path[FS_PATH_MAX + 1]; /* begins with '/' */
    enum fs_kind kind;
    const void *bytes; /* points into the archive */
    size_t size;
};

/* Returns 1 and the next entry, 0 at the end, or -EINVAL and the reason. */
int ustar_next(struct ustar *archive, struct ustar_entry *entry, struct refusal *why);
