/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The archive that programs come in: POSIX.1-1988 "ustar" (pax(1), "ustar Interchange Format"), as
 * `tar --format=ustar` writes it; files and directories only. Pure, any context.
 */
#pragma once

#include <stddef.h>

#include "core/lib/refusal.h"
#include "kernel/fs/ramfs.h"

struct ustar {
    const unsigned char *bytes;
    size_t size;
    size_t at; /* 0 at first: the next header */
};

struct ustar_entry {
    char path[FS_PATH_MAX + 1]; /* from '/' on */
    enum fs_kind kind;
    const void *bytes; /* in the archive */
    size_t size;
};

/* 1: there was one; 0: the end; -EINVAL and what is wrong. */
int ustar_next(struct ustar *archive, struct ustar_entry *entry, struct refusal *why);
