/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A small file system in memory: nested directories, regular files that grow by pages and may have
 * holes, rename over existing names, unlinked files that live on while they are open. It is the
 * load that recordings are made of, and each call takes the big kernel lock once
 * (docs/kernel.md). Task context.
 *
 * Paths begin with '/'; repeated and trailing slashes mean nothing; there is no "." or ".."
 * (-EINVAL). Errors are negative:
 *
 *   -EINVAL        a path, flag, or offset that makes no sense
 *   -ENAMETOOLONG  a name or path over its limit
 *   -ENOENT        a name that is not there
 *   -ENOTDIR       a file where a directory is needed
 *   -EISDIR        a directory where a file is needed
 *   -EEXIST        mkdir of what is there
 *   -ENOTEMPTY     a directory that must be empty
 *   -EBUSY         the root directory, where it would have to change
 *   -EBADF         no open file, or not open for this
 *   -EMFILE        FS_OPEN_MAX files are open
 *   -ENOSPC        no block or inode left
 *   -EFBIG         a write past FS_SIZE_MAX
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define FS_NAME_MAX 59 /* bytes of one name, without NUL */
#define FS_PATH_MAX 255
#define FS_OPEN_MAX 64
#define FS_SIZE_MAX (496 * 4096) /* bytes of one file */

enum fs_open_flags {
    FS_READ = 1,
    FS_WRITE = 2,
    FS_CREATE = 4,   /* the file if it is not there; this and what follows need FS_WRITE */
    FS_TRUNCATE = 8, /* to length 0 */
    FS_APPEND = 16,  /* each write goes to the end */
};

enum fs_kind { FS_FILE, FS_DIRECTORY };
enum fs_whence { FS_SEEK_SET, FS_SEEK_CURRENT, FS_SEEK_END };

struct fs_stat {
    uint32_t inode;
    enum fs_kind kind;
    uint64_t size;                        /* bytes; of a directory: 64 for each entry */
    uint64_t blocks;                      /* pages of contents, holes not counted */
    uint64_t created, modified, accessed; /* nanoseconds since boot */
};

/*
 * Pages that the file system has taken for the directory that fs_mkdir_accounted made, and for all
 * that was made in it, and that are not free again. Begins as zeros; lives as long as any of that.
 */
struct fs_account {
    size_t pages; /* any CPU, atomically */
};

struct fs_entry {
    char name[FS_NAME_MAX + 1];
    uint32_t inode;
    enum fs_kind kind;
};

/* Once, after the page allocator has its memory. An empty root directory; 0 or -ENOSPC. */
int fs_init(void);

/*
 * Returns when the memory of all that was removed is free again: a worker gives it back. May sleep.
 */
void fs_settle(void);

/* A file descriptor, 0 or more. Directories cannot be opened; FS_CREATE on "/" is -EBUSY. */
int fs_open(const char *path, unsigned flags);
int fs_close(int fd);

/* How many bytes, which are fewer than asked for at the end of the file, or of space. */
int64_t fs_read(int fd, void *to, size_t length);
int64_t fs_write(int fd, const void *from, size_t length);

/*
 * The new offset, 0 to FS_SIZE_MAX; behind the end is allowed, and a write there leaves a hole that
 * reads as zeros.
 */
int64_t fs_seek(int fd, int64_t offset, enum fs_whence whence);

int fs_stat(const char *path, struct fs_stat *status);
int fs_unlink(const char *path);
int fs_mkdir(const char *path);
int fs_rmdir(const char *path);

/*
 * As fs_mkdir; what is made in it later is on this account, too, wherever it is renamed to. NULL:
 * on that of the directory it is made in, as with fs_mkdir.
 */
int fs_mkdir_accounted(const char *path, struct fs_account *account);

/* Exact after fs_settle, if nothing on it is in use. */
size_t fs_account_pages(struct fs_account *account);

/*
 * Replaces `to` where it exists: a file by a file, an empty directory by a directory. One name for
 * one inode: fine.
 */
int fs_rename(const char *from, const char *to);

/*
 * The index-th entry of a directory: 1, or 0 past the last. Entries are in no order, and removing
 * one moves another into its place: a caller that removes while reading begins again at 0.
 */
int fs_readdir(const char *path, size_t index, struct fs_entry *entry);
