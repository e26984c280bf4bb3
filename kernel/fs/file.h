/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Descriptors, for fs_open. One table for the whole kernel: a program's own lead here. Task
 * context, under the kernel lock.
 */
#pragma once

#include "kernel/fs/inode.h"

/* The lowest descriptor that is free, -EMFILE where none is. It is taken by file_install. */
int file_free_descriptor(void);

/* Makes a free descriptor mean the inode. */
void file_install(int fd, struct inode *inode, unsigned flags);
