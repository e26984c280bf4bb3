/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the parts of the workload fs-stress share: its state, its steps (stress_steps.c: one file
 * operation or a few, counted, checked, and explained on the console where they fail) and its
 * clients (stress_clients.c: who uses files, and how). Everything is derived from a generator with
 * a constant seed, so every run is the same run. Task context.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/fs/ramfs.h"

#define STRESS_ROOT    "/fs-stress" /* everything happens below */
#define STRESS_RECORDS 48           /* of the database client */

struct stress {
    uint32_t random;          /* the generator's state, never 0 */
    unsigned long round;      /* 0 for the first */
    unsigned long operations; /* calls of the file system so far */

    /* The logger's: which log it is writing, and how much is in it. */
    uint32_t log_generation;
    size_t log_length;
    /* The database's: how often each record has been written. */
    uint32_t versions[STRESS_RECORDS];

    /* Where a walk through a tree is: one for all its depths, which then cost little stack. */
    char path[FS_PATH_MAX + 1];
};

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

/* The same on an open file. */
int step_write_open(struct stress *stress, int fd, const char *path, struct content content);
int step_verify_open(struct stress *stress, int fd, const char *path, struct content content);

/* Status and size. */
int step_expect_size(struct stress *stress, const char *path, size_t size);

int step_open(struct stress *stress, const char *path, unsigned flags);
int step_close(struct stress *stress, int fd, const char *path);
int step_rename(struct stress *stress, const char *from, const char *to);
int step_unlink(struct stress *stress, const char *path);
int step_mkdir(struct stress *stress, const char *path);

/* Says "fs-stress: PATH: WHAT" and returns -EIO. */
int stress_wrong(const char *path, const char *what);

/* The sum of the sizes of all files at and below stress->path, or a negative errno. */
int64_t stress_scan_tree(struct stress *stress);

/* Removes stress->path and all below. */
int stress_remove_tree(struct stress *stress);

typedef int stress_client(struct stress *stress);

/*
 * One visit of each client in a round; NULL behind the last. Each has a directory of its own, made
 * by stress_prepare.
 */
extern stress_client *const stress_clients[];
int stress_prepare(struct stress *stress);
