/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Open files: what a file descriptor means. One table for the whole kernel, as there are no
 * processes yet. A file is held by its descriptor and by each call at work on it, so that a close
 * from elsewhere cannot pull it away. Task context; each function takes the kernel lock itself,
 * which covers every field.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/fs/inode.h"

struct file {
    unsigned references; /* 0: the descriptor is free */
    struct inode *inode; /* NULL while it is being opened, and again once it is closed for good */
    unsigned flags;      /* enum fs_open_flags; 0 once closed: then calls that come find nothing */
    uint64_t offset;
};

/* Takes a descriptor before anything is created for it: the descriptor, or -EMFILE. */
int file_claim(void);

/* Gives a claimed descriptor back. */
void file_abandon(int fd);

/* Makes the claimed descriptor mean the inode; the reference to it goes into the file's care. */
void file_install(int fd, struct inode *inode, unsigned flags);

/* The open file, held until file_put; NULL where there is none. */
struct file *file_get(int fd);
void file_put(struct file *file);

/* Ends the descriptor; the file ends with the last call at work on it. 0 or -EBADF. */
int file_close(int fd);

int64_t file_read(struct file *file, void *to, size_t length);
int64_t file_write(struct file *file, const void *from, size_t length);
int64_t file_seek(struct file *file, int64_t offset, enum fs_whence whence);
