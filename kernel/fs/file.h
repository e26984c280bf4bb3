/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * File descriptors, for fs_open: one table for the whole kernel, to which programs' descriptors
 * refer. Task context, under the kernel lock.
 */
#pragma once

#include "kernel/fs/inode.h"

/* Returns the lowest free descriptor, or -EMFILE. file_install claims it. */
int file_free_descriptor(void);

/* Binds a free descriptor to an inode. */
void file_install(int fd, struct inode *inode, unsigned flags);
