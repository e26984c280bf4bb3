/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parts of the workloads fs-stress and dbench: a thread's state, its steps (file operations,
 * counted, checked and reported if they fail), and the clients: the ways in which programs use
 * files. All choices come from a generator with a constant seed, so runs repeat. Task context.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernel/fs/ramfs.h"

#define STRESS_ROOT    "/fs-stress" /* all files are below it */
#define STRESS_RECORDS 48           /* number of records in the database client's file */
#define STRESS_PIECE   5000         /* larger than a block: pieces may cross blocks anywhere */

/* The files and directories of the clients, directories first: kernel/fs/stress_clients.c. */
enum stress_name {
    STRESS_EDITOR,
    STRESS_LOGGER,
    STRESS_DATABASE,
    STRESS_BUILDER,
    STRESS_SCRATCH,
    STRESS_DIRECTORIES,
    STRESS_DRAFT = STRESS_DIRECTORIES,
    STRESS_TEXT,
    STRESS_NEW_LOCK,
    STRESS_LOCK,
    STRESS_LOG,
    STRESS_OLD_LOG,
    STRESS_FILE_OF_RECORDS,
    STRESS_BUILD,
    STRESS_RELEASE,
    STRESS_SCRAP,
    STRESS_NAMES,
};

#define STRESS_NAME_SIZE 40

/* State of one worker thread, private to it. Each client's directory is used by one thread only. */
struct stress {
    uint32_t random;             /* the generator's state, never 0 */
    unsigned long round;         /* current round, from 0 */
    unsigned long rounds;        /* number of rounds to run */
    unsigned long operations;    /* file system calls made */
    unsigned first, step;        /* its clients: first, first + step, ... */
    int result;                  /* result of all rounds */
    unsigned long seconds;       /* seconds after which no round begins; 0: `rounds` applies */
    const char *command;         /* command named in messages: "fs-stress" */
    char root[STRESS_NAME_SIZE]; /* parent of its clients' directories */
    char names[STRESS_NAMES][STRESS_NAME_SIZE];

    /* Logger: number of the current log, and bytes in it. */
    uint32_t log_generation;
    size_t log_length;
    /* Database: how often each record has been written. */
    uint32_t versions[STRESS_RECORDS];

    /* Current position of a walk through a tree. */
    char path[FS_PATH_MAX + 1];
    uint8_t piece[STRESS_PIECE]; /* data to write, or data read; too large for a stack */
};

/* Initialises a thread's state, with directories below `root`. */
void stress_init(struct stress *stress, const char *command, const char *root, uint32_t seed);

/* Returns the next pseudo-random number from `least` to `most`. */
uint32_t stress_between(struct stress *stress, uint32_t least, uint32_t most);

/*
 * Content that can be verified without storing it: byte i of the sequence `seed`. Steps return 0,
 * or report an error and return a negative errno: -EIO if the data read differs from the data
 * written.
 */
struct content {
    uint32_t seed;
    size_t start; /* offset in the file, and the first value of i */
    size_t length;
};

/*
 * Opens the file with FS_WRITE and `flags`, writes `content` in pieces of different sizes, closes
 * it.
 */
int step_write(struct stress *stress, const char *path, unsigned flags, struct content content);

/* Reads the file and compares it with `content`. */
int step_verify(struct stress *stress, const char *path, struct content content);

/* Do the same on an open file, from its current offset, which must be content.start. */
int step_write_open(struct stress *stress, int fd, const char *path, struct content content);
int step_verify_open(struct stress *stress, int fd, const char *path, struct content content);

int step_expect_size(struct stress *stress, const char *path, size_t size);

/* Counts one file system call, reports its failure, and returns its result. */
int64_t stress_counted(struct stress *stress, const char *call, const char *path, int64_t result);

/* Each makes one file system call. Inline, so that call chains show the calling client. */
static inline int step_open(struct stress *stress, const char *path, unsigned flags)
{
    return (int)stress_counted(stress, "open", path, fs_open(path, flags));
}

static inline int step_close(struct stress *stress, int fd, const char *path)
{
    return (int)stress_counted(stress, "close", path, fs_close(fd));
}

static inline int step_seek(struct stress *stress, int fd, const char *path, size_t offset)
{
    int64_t reached = fs_seek(fd, (int64_t)offset, FS_SEEK_SET);

    return stress_counted(stress, "seek", path, reached) < 0 ? (int)reached : 0;
}

static inline int step_rename(struct stress *stress, const char *from, const char *to)
{
    return (int)stress_counted(stress, "rename", from, fs_rename(from, to));
}

static inline int step_unlink(struct stress *stress, const char *path)
{
    return (int)stress_counted(stress, "unlink", path, fs_unlink(path));
}

static inline int step_mkdir(struct stress *stress, const char *path)
{
    return (int)stress_counted(stress, "mkdir", path, fs_mkdir(path));
}

static inline int step_rmdir(struct stress *stress, const char *path)
{
    return (int)stress_counted(stress, "rmdir", path, fs_rmdir(path));
}

/* Always closes; returns the first error. */
static inline int step_close_after(struct stress *stress, int fd, const char *path, int result)
{
    int closed = step_close(stress, fd, path);

    return result < 0 ? result : closed;
}

int stress_wrong(const struct stress *stress, const char *path, const char *what);

/* Append "/name" to stress->path, and remove the last name from it. */
void stress_enter(struct stress *stress, const char *name);
void stress_leave(struct stress *stress);

/* Returns the total size of all files below the directory at stress->path, or a negative errno. */
int64_t stress_scan_tree(struct stress *stress);

int stress_remove_tree(struct stress *stress);

typedef int stress_client(struct stress *stress);

/* The clients, each called once per round, then NULL. stress_prepare makes their directories. */
#define STRESS_CLIENTS 5
extern stress_client *const stress_clients[STRESS_CLIENTS + 1];
int stress_prepare(struct stress *stress);
