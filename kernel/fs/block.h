/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every page that the file system uses, inodes included, comes from here, so that it can be held to
 * a share of memory, and each can be put on an account. Task context; takes the kernel lock itself.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernel/fs/ramfs.h"

#define BLOCK_SIZE 4096

/* At most `most` blocks from now on. Called once, by fs_init. */
void block_init(size_t most);

/*
 * A zeroed block, or NULL where the limit is reached or memory is out. It is on `account` (NULL:
 * none) until its page is with the page allocator again; the call that frees it names the same one.
 */
void *block_alloc(struct fs_account *account);
void block_free(void *block, struct fs_account *account);

/* Returns when all that was freed on this CPU is with the page allocator again; may sleep. */
void block_settle(void);
