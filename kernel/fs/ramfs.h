/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A small in-memory file system: nested directories, regular files that grow by pages and may have
 * holes, rename over existing names, and unlinked files that live on while they are open. It is the
 * workload of recordings, and each call takes the big kernel lock once (docs/kernel.md). Task
 * context.
 *
 * Paths begin with '/'; repeated and trailing slashes are ignored; "." and ".." are not supported
 * (-EINVAL). Errors are negative:
 *
 *   -EINVAL        an invalid path, flag, or offset
 *   -ENAMETOOLONG  a name or path over its limit
 *   -ENOENT        the name does not exist
 *   -ENOTDIR       a file where a directory is needed
 *   -EISDIR        a directory where a file is needed
 *   -EEXIST        mkdir of an existing name
 *   -ENOTEMPTY     the directory is not empty
 *   -EBUSY         not allowed on the root directory
 *   -EBADF         not an open file, or not open for this access
 *   -EMFILE        FS_OPEN_MAX files are open
 *   -ENOSPC        no block or inode left
 *   -EFBIG         a write past FS_SIZE_MAX
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define FS_NAME_MAX 59 /* bytes per name, without the NUL */
#define FS_PATH_MAX 255
#define FS_OPEN_MAX 64
#define FS_SIZE_MAX (496 * 4096) /* bytes per file */

enum fs_open_flags {
    FS_READ = 1,
    FS_WRITE = 2,
    FS_CREATE = 4,   /* create the file if missing; this flag and those below need FS_WRITE */
    FS_TRUNCATE = 8, /* truncate to length 0 */
    FS_APPEND = 16,  /* each write goes to the end */
};

enum fs_kind { FS_FILE, FS_DIRECTORY };
enum fs_whence { FS_SEEK_SET, FS_SEEK_CURRENT, FS_SEEK_END };

struct fs_stat {
    uint32_t inode;
    enum fs_kind kind;
    uint64_t size;                        /* bytes; directories: 64 per entry */
    uint64_t blocks;                      /* pages of contents, without holes */
    uint64_t created, modified, accessed; /* nanoseconds since boot */
};

/*
 * Counts the pages of a directory from fs_mkdir_accounted and of everything created in it, until
 * they are back in the page allocator. Initially zero; must outlive those pages.
 */
struct fs_account {
    size_t pages; /* updated atomically, on any CPU */
};

struct fs_entry {
    char name[FS_NAME_MAX + 1];
    uint32_t inode;
    enum fs_kind kind;
};

/* Creates an empty root directory. Returns 0 or -ENOSPC. Called once, after pages_add. */
int fs_init(void);

/* Waits until a worker has freed the memory of everything removed. May sleep. */
void fs_settle(void);

/* Returns a descriptor, 0 or more. Directories cannot be opened; FS_CREATE on "/" is -EBUSY. */
int fs_open(const char *path, unsigned flags);
int fs_close(int fd);

/*
 * Return the number of bytes, which is less than `length` at the end of the file, or when space
 * runs out.
 */
int64_t fs_read(int fd, void *to, size_t length);
int64_t fs_write(int fd, const void *from, size_t length);

/* Returns the new offset, 0 to FS_SIZE_MAX. A write past the end leaves a hole, read as zeros. */
int64_t fs_seek(int fd, int64_t offset, enum fs_whence whence);

int fs_stat(const char *path, struct fs_stat *status);
int fs_unlink(const char *path);
int fs_mkdir(const char *path);
int fs_rmdir(const char *path);

/*
 * Like fs_mkdir; also charges everything created in the directory later to `account`, even after a
 * rename. NULL: inherits the parent's account, as fs_mkdir does.
 */
int fs_mkdir_accounted(const char *path, struct fs_account *account);

/*
 * Returns the number of pages charged to the account. The number is exact after fs_settle, if
 * nothing charged to the account is in use.
 */
size_t fs_account_pages(struct fs_account *account);

/*
 * A file may replace an existing file, and a directory an empty directory. Renaming an inode to
 * itself changes nothing.
 */
int fs_rename(const char *from, const char *to);

/*
 * Reads the index-th entry. Returns 1, or 0 past the last entry. Entries are unordered; removing
 * one moves another into its place, so a caller that removes while reading restarts at 0.
 */
int fs_readdir(const char *path, size_t index, struct fs_entry *entry);
