/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The file system's pages, inodes included: limited to a share of memory, and charged to accounts.
 * Task context; takes the kernel lock itself.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernel/fs/ramfs.h"

#define BLOCK_SIZE 4096

/* Limits the file system to `most` blocks. Called once, by fs_init. */
void block_init(size_t most);

/*
 * Returns a zeroed block; NULL: limit reached, or no memory. It is charged to `account` (NULL:
 * none) until its page is back in the page allocator; block_free takes the same account.
 */
void *block_alloc(struct fs_account *account);
void block_free(void *block, struct fs_account *account);
