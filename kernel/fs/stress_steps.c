/* SPDX-License-Identifier: BSD-2-Clause */
/* The clients' steps (stress.h). Task context; each thread has its own struct stress. */
#include <linux/errno.h>

#include "core/lib/print.h"
#include "core/lib/string.h"
#include "kernel/fs/stress.h"

#define SCAN_DEPTH 8

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

int stress_wrong(const struct stress *stress, const char *path, const char *what)
{
    print("%s: %s: %s\n", stress->command, path, what);
    return -EIO;
}

int64_t stress_counted(struct stress *stress, const char *call, const char *path, int64_t result)
{
    stress->operations++;
    if (result < 0)
        print("%s: %s %s: error %d\n", stress->command, call, path, (int)-result);
    return result;
}

static int write_piece(struct stress *stress, int fd, const char *path, struct content content)
{
    for (size_t i = 0; i < content.length; i++)
        stress->piece[i] = content_byte(content.seed, content.start + i);

    int64_t done =
        stress_counted(stress, "write", path, fs_write(fd, stress->piece, content.length));
    if (done < 0)
        return (int)done;
    return (size_t)done == content.length ? 0 : stress_wrong(stress, path, "was not written whole");
}

static int verify_piece(struct stress *stress, int fd, const char *path, struct content content)
{
    int64_t done = stress_counted(stress, "read", path, fs_read(fd, stress->piece, content.length));

    if (done < 0)
        return (int)done;
    if ((size_t)done != content.length)
        return stress_wrong(stress, path, "is shorter than what was written");

    for (size_t i = 0; i < content.length; i++) {
        if (stress->piece[i] != content_byte(content.seed, content.start + i))
            return stress_wrong(stress, path, "does not hold what was written");
    }
    return 0;
}

/* Removes a piece of random length from the front of `content`, and returns it. */
static struct content next_piece(struct stress *stress, struct content *content)
{
    struct content part = *content;
    uint32_t length = stress_between(stress, 400, STRESS_PIECE);

    if (length < part.length)
        part.length = length;
    content->start += part.length;
    content->length -= part.length;
    return part;
}

int step_write_open(struct stress *stress, int fd, const char *path, struct content content)
{
    int result = 0;

    while (result == 0 && content.length > 0)
        result = write_piece(stress, fd, path, next_piece(stress, &content));
    return result;
}

int step_verify_open(struct stress *stress, int fd, const char *path, struct content content)
{
    int result = 0;

    while (result == 0 && content.length > 0)
        result = verify_piece(stress, fd, path, next_piece(stress, &content));
    return result;
}

int step_write(struct stress *stress, const char *path, unsigned flags, struct content content)
{
    int fd = step_open(stress, path, FS_WRITE | flags);

    if (fd < 0)
        return fd;
    return step_close_after(stress, fd, path, step_write_open(stress, fd, path, content));
}

int step_verify(struct stress *stress, const char *path, struct content content)
{
    int fd = step_open(stress, path, FS_READ);

    if (fd < 0)
        return fd;
    return step_close_after(stress, fd, path, step_verify_open(stress, fd, path, content));
}

int step_expect_size(struct stress *stress, const char *path, size_t size)
{
    struct fs_stat status;
    int result = (int)stress_counted(stress, "stat", path, fs_stat(path, &status));

    if (result == 0 && status.size != size)
        result = stress_wrong(stress, path, "has the wrong size");
    return result;
}

void stress_enter(struct stress *stress, const char *name)
{
    size_t length = strlen(stress->path);

    print_into(stress->path + length, sizeof(stress->path) - length, "/%s", name);
}

void stress_leave(struct stress *stress)
{
    size_t length = strlen(stress->path);

    while (length > 0 && stress->path[--length] != '/') {
    }
    stress->path[length] = '\0';
}

/*
 * The walks below keep their position in stress->path instead of recursing, so that call chains
 * show the client, not the depth. Returns 1 and the next entry, or 0 at the end.
 */
static int next_entry(struct stress *stress, size_t index, struct fs_entry *entry)
{
    return (int)stress_counted(stress, "readdir", stress->path,
                               fs_readdir(stress->path, index, entry));
}

static int64_t file_size(struct stress *stress)
{
    struct fs_stat status;
    int result = (int)stress_counted(stress, "stat", stress->path, fs_stat(stress->path, &status));

    return result < 0 ? result : (int64_t)status.size;
}

int64_t stress_scan_tree(struct stress *stress)
{
    size_t seen[SCAN_DEPTH] = {0}; /* entries read at each depth of the current path */
    size_t depth = 0;
    struct fs_entry entry;
    int64_t sum = 0;

    for (;;) {
        int result = next_entry(stress, seen[depth]++, &entry);
        if (result < 0)
            return result;
        if (result == 0 && depth-- == 0)
            return sum;
        if (result == 0) {
            stress_leave(stress);
            continue;
        }
        stress_enter(stress, entry.name);
        if (entry.kind == FS_DIRECTORY) {
            if (++depth == SCAN_DEPTH)
                return stress_wrong(stress, stress->path, "is deeper than anything that was made");
            seen[depth] = 0;
            continue;
        }
        int64_t size = file_size(stress);
        if (size < 0)
            return size;
        sum += size;
        stress_leave(stress);
    }
}

int stress_remove_tree(struct stress *stress)
{
    size_t depth = 1;
    struct fs_entry entry;

    /* Removing an entry moves another into its place, so the first entry is a new one each time. */
    while (depth > 0) {
        int result = next_entry(stress, 0, &entry);
        if (result > 0) {
            stress_enter(stress, entry.name);
            if (entry.kind == FS_DIRECTORY) {
                depth++;
                continue;
            }
            result = step_unlink(stress, stress->path);
        } else if (result == 0) {
            result = step_rmdir(stress, stress->path);
            depth--;
        }
        if (result < 0)
            return result;
        stress_leave(stress);
    }
    return 0;
}
