/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The steps that fs-stress's clients are made of. Called by core/fs/stress_clients.c and
 * core/fs/fs_stress.c, one workload at a time, in task context.
 */
#include <linux/errno.h>

#include "core/fs/stress.h"
#include "core/fs/visible.h"
#include "core/print.h"
#include "core/string.h"

#define PIECE_MAX 5000 /* more than a block, so that pieces lie across blocks in every way */

/* The one workload's, and too large for a stack. */
static uint8_t piece[PIECE_MAX];

/* xorshift, with the triple 13, 17, 5 of Marsaglia, "Xorshift RNGs", 2003 */
uint32_t stress_between(struct stress *stress, uint32_t least, uint32_t most)
{
    stress->random ^= stress->random << 13;
    stress->random ^= stress->random >> 17;
    stress->random ^= stress->random << 5;
    return least + stress->random % (most - least + 1);
}

static uint8_t content_byte(uint32_t seed, size_t index)
{
    return (uint8_t)((((uint32_t)index + seed) * 2654435761u) >> 21);
}

int stress_wrong(const char *path, const char *what)
{
    print("fs-stress: %s: %s\n", path, what);
    return -EIO;
}

/* Counts one call of the file system and explains its failure; passes its result on. */
static int64_t counted(struct stress *stress, const char *call, const char *path, int64_t result)
{
    stress->operations++;
    if (result < 0)
        print("fs-stress: %s %s: error %d\n", call, path, (int)-result);
    return result;
}

int step_open(struct stress *stress, const char *path, unsigned flags)
{
    return (int)counted(stress, "open", path, fs_open(path, flags));
}

int step_close(struct stress *stress, int fd, const char *path)
{
    return (int)counted(stress, "close", path, fs_close(fd));
}

int step_rename(struct stress *stress, const char *from, const char *to)
{
    return (int)counted(stress, "rename", from, fs_rename(from, to));
}

int step_unlink(struct stress *stress, const char *path)
{
    return (int)counted(stress, "unlink", path, fs_unlink(path));
}

int step_mkdir(struct stress *stress, const char *path)
{
    return (int)counted(stress, "mkdir", path, fs_mkdir(path));
}

VISIBLE static int write_piece(struct stress *stress, int fd, const char *path,
                               struct content content)
{
    for (size_t i = 0; i < content.length; i++)
        piece[i] = content_byte(content.seed, content.start + i);

    int64_t done = counted(stress, "write", path, fs_write(fd, piece, content.length));
    if (done < 0)
        return (int)done;
    return (size_t)done == content.length ? 0 : stress_wrong(path, "was not written whole");
}

VISIBLE static int verify_piece(struct stress *stress, int fd, const char *path,
                                struct content content)
{
    int64_t done = counted(stress, "read", path, fs_read(fd, piece, content.length));

    if (done < 0)
        return (int)done;
    if ((size_t)done != content.length)
        return stress_wrong(path, "is shorter than what was written");

    for (size_t i = 0; i < content.length; i++) {
        if (piece[i] != content_byte(content.seed, content.start + i))
            return stress_wrong(path, "does not hold what was written");
    }
    return 0;
}

typedef int piece_step(struct stress *stress, int fd, const char *path, struct content content);

VISIBLE static int in_pieces(struct stress *stress, int fd, const char *path,
                             struct content content, piece_step *step)
{
    int result = 0;

    while (result == 0 && content.length > 0) {
        struct content part = content;
        uint32_t length = stress_between(stress, 400, PIECE_MAX);

        if (length < part.length)
            part.length = length;
        result = step(stress, fd, path, part);
        content.start += part.length;
        content.length -= part.length;
    }
    return result;
}

static int seek_to(struct stress *stress, int fd, const char *path, size_t offset)
{
    int64_t reached = fs_seek(fd, (int64_t)offset, FS_SEEK_SET);

    return counted(stress, "seek", path, reached) < 0 ? (int)reached : 0;
}

int step_write_open(struct stress *stress, int fd, const char *path, struct content content)
{
    int result = seek_to(stress, fd, path, content.start);

    if (result == 0)
        result = in_pieces(stress, fd, path, content, write_piece);
    STAY_IN_CHAIN();
    return result;
}

int step_verify_open(struct stress *stress, int fd, const char *path, struct content content)
{
    int result = seek_to(stress, fd, path, content.start);

    if (result == 0)
        result = in_pieces(stress, fd, path, content, verify_piece);
    STAY_IN_CHAIN();
    return result;
}

/* Closes in any case; the first error counts. */
static int close_after(struct stress *stress, int fd, const char *path, int result)
{
    int closed = step_close(stress, fd, path);

    return result < 0 ? result : closed;
}

int step_write(struct stress *stress, const char *path, unsigned flags, struct content content)
{
    int fd = step_open(stress, path, FS_WRITE | flags);

    if (fd < 0)
        return fd;
    return close_after(stress, fd, path, step_write_open(stress, fd, path, content));
}

int step_verify(struct stress *stress, const char *path, struct content content)
{
    int fd = step_open(stress, path, FS_READ);

    if (fd < 0)
        return fd;
    return close_after(stress, fd, path, step_verify_open(stress, fd, path, content));
}

int step_expect_size(struct stress *stress, const char *path, size_t size)
{
    struct fs_stat status;
    int result = (int)counted(stress, "stat", path, fs_stat(path, &status));

    if (result == 0 && status.size != size)
        result = stress_wrong(path, "has the wrong size");
    return result;
}

/* Appends "/name" to the path of the walk; returns its length before, to cut it back to. */
static size_t path_enter(struct stress *stress, const char *name)
{
    size_t length = strlen(stress->path);

    print_into(stress->path + length, sizeof(stress->path) - length, "/%s", name);
    return length;
}

static int64_t entry_size(struct stress *stress, const struct fs_entry *entry)
{
    struct fs_stat status;

    if (entry->kind == FS_DIRECTORY)
        return stress_scan_tree(stress);
    int result = (int)counted(stress, "stat", stress->path, fs_stat(stress->path, &status));
    return result < 0 ? result : (int64_t)status.size;
}

int64_t stress_scan_tree(struct stress *stress)
{
    struct fs_entry entry;
    int64_t sum = 0;

    for (size_t index = 0;; index++) {
        int result = fs_readdir(stress->path, index, &entry);
        if (counted(stress, "readdir", stress->path, result) <= 0)
            return result < 0 ? result : sum;

        size_t length = path_enter(stress, entry.name);
        int64_t size = entry_size(stress, &entry);
        stress->path[length] = '\0';
        if (size < 0)
            return size;
        sum += size;
    }
}

int stress_remove_tree(struct stress *stress)
{
    struct fs_entry entry;
    int result;

    /* What is removed makes room at its place, so the first entry is a new one each time. */
    while ((result = fs_readdir(stress->path, 0, &entry)) > 0) {
        size_t length = path_enter(stress, entry.name);
        result = entry.kind == FS_DIRECTORY ? stress_remove_tree(stress)
                                            : step_unlink(stress, stress->path);
        stress->path[length] = '\0';
        if (result < 0)
            return result;
    }
    if (counted(stress, "readdir", stress->path, result) < 0)
        return result;
    return (int)counted(stress, "rmdir", stress->path, fs_rmdir(stress->path));
}
