/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The file system's pages, inodes included: limited to a share of memory, and charged to accounts.
 * Task context; the functions take the kernel lock themselves.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernel/fs/ramfs.h"

#define BLOCK_SIZE 4096

/* Limits the file system to `most` blocks. Called once, by fs_init. */
void block_init(size_t most);

/*
 * Returns a zeroed block, or NULL if the limit is reached or there is no memory. The block is
 * charged to `account` (NULL: none) until its page is back in the page allocator; pass the same
 * account to block_free.
 */
void *block_alloc(struct fs_account *account);
void block_free(void *block, struct fs_account *account);
