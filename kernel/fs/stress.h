/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the parts of the workloads fs-stress and dbench share: a thread's state, its steps
 * (stress_steps.c: one file operation or a few, counted, checked, and explained on the console
 * where they fail) and the clients (stress_clients.c: the ways in which programs use files).
 * Everything is derived from a generator with a constant seed, so every run is the same run. Task
 * context.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernel/fs/ramfs.h"

#define STRESS_ROOT    "/fs-stress" /* everything happens below */
#define STRESS_RECORDS 48           /* of the database client */
#define STRESS_PIECE   5000         /* more than a block: pieces lie across blocks in every way */

/* The files and directories that clients use, directories first: kernel/fs/stress_clients.c. */
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

/* One for each thread that works, and its alone: a client's directory is one thread's only. */
struct stress {
    uint32_t random;             /* the generator's state, never 0 */
    unsigned long round;         /* 0 for the first */
    unsigned long rounds;        /* there are to be */
    unsigned long operations;    /* calls of the file system so far */
    unsigned first, step;        /* its clients: first, first + step, ... */
    int result;                  /* of all rounds */
    unsigned long seconds;       /* no round begins later; 0: `rounds` says it */
    const char *command;         /* the command that messages name: "fs-stress" */
    char root[STRESS_NAME_SIZE]; /* the directory that its clients' directories are in */
    char names[STRESS_NAMES][STRESS_NAME_SIZE];

    /* The logger's: which log it is writing, and how much is in it. */
    uint32_t log_generation;
    size_t log_length;
    /* The database's: how often each record has been written. */
    uint32_t versions[STRESS_RECORDS];

    /* Where a walk through a tree is. */
    char path[FS_PATH_MAX + 1];
    uint8_t piece[STRESS_PIECE]; /* what is written or was read; too large for a stack */
};

/* A thread's state: its random numbers follow from the seed, its directories are below `root`. */
void stress_init(struct stress *stress, const char *command, const char *root, uint32_t seed);

/* The next pseudo-random number from `least` to `most`. */
uint32_t stress_between(struct stress *stress, uint32_t least, uint32_t most);

/*
 * Contents that can be checked without being kept: byte i of what `seed` stands for. Steps return 0
 * or a negative errno after saying why; -EIO where the file system gave something else than was
 * written.
 */
struct content {
    uint32_t seed;
    size_t start; /* offset in the file, also the first i */
    size_t length;
};

/* Opens with FS_WRITE and `flags`, writes in pieces of different size, closes. */
int step_write(struct stress *stress, const char *path, unsigned flags, struct content content);

/* Reads and compares. */
int step_verify(struct stress *stress, const char *path, struct content content);

/* The same on an open file, from where its offset is: that must be content.start. */
int step_write_open(struct stress *stress, int fd, const char *path, struct content content);
int step_verify_open(struct stress *stress, int fd, const char *path, struct content content);

/* Status and size. */
int step_expect_size(struct stress *stress, const char *path, size_t size);

/* Counts one call of the file system and explains its failure; passes its result on. */
int64_t stress_counted(struct stress *stress, const char *call, const char *path, int64_t result);

/* One call each. Inline, so that a call chain shows the client that made it. */
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

static inline int step_mkdir_accounted(struct stress *stress, const char *path,
                                       struct fs_account *account)
{
    return (int)stress_counted(stress, "mkdir", path, fs_mkdir_accounted(path, account));
}

static inline int step_rmdir(struct stress *stress, const char *path)
{
    return (int)stress_counted(stress, "rmdir", path, fs_rmdir(path));
}

/* Closes in any case; the first error counts. */
static inline int step_close_after(struct stress *stress, int fd, const char *path, int result)
{
    int closed = step_close(stress, fd, path);

    return result < 0 ? result : closed;
}

/* Says "fs-stress: PATH: WHAT" and returns -EIO. */
int stress_wrong(const struct stress *stress, const char *path, const char *what);

/* Lengthens stress->path by "/name", and shortens it by its last name. */
void stress_enter(struct stress *stress, const char *name);
void stress_leave(struct stress *stress);

/* The sum of the sizes of all files below the directory at stress->path, or a negative errno. */
int64_t stress_scan_tree(struct stress *stress);

/* Removes the directory at stress->path and all below. */
int stress_remove_tree(struct stress *stress);

typedef int stress_client(struct stress *stress);

/*
 * One visit of each client in a round; NULL after the last. Each has a directory of its own, made
 * by stress_prepare below STRESS_ROOT, which is there.
 */
#define STRESS_CLIENTS 5
extern stress_client *const stress_clients[STRESS_CLIENTS + 1];
int stress_prepare(struct stress *stress);
