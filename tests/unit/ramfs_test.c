/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The file system against a model of it: a tree of nodes with parents, without blocks, locks and
 * references. Random calls, many of them wrong on purpose, must have the same results in both. Then
 * the limits, one by one.
 *
 * links: tests/unit/fake_workqueue.c tests/unit/fake_preempt.c tests/unit/fake_scheduler.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <linux/errno.h>

#include "arch/cpu.h"
#include "arch/memory.h"
#include "core/lib/assert.h"
#include "kernel/fs/ramfs.h"
#include "kernel/lock/kernel_lock.h"
#include "kernel/memory/pages.h"
#include "tests/unit/random.h"

#define PAGES      4096
#define INODES     511
#define STEPS      60000
#define LENGTH_MAX 9000
#define SEEK_MAX   40000

static uint64_t clock_ns;

unsigned arch_cpu_id(void)
{
    return 0;
}

uint64_t arch_clock_ns(void)
{
    return ++clock_ns;
}

uint64_t arch_irq_save(void)
{
    return 0;
}

void arch_irq_restore(uint64_t flags)
{
    (void)flags;
}

void arch_relax(void)
{
    fail_msg("nobody else can hold a lock here");
}

void assert_failed(const char *claim, const char *file, int line)
{
    fprintf(stderr, "%s:%d: %s\n", file, line, claim);
    abort();
}

/* --- The model. --- */

struct node {
    bool exists, directory;
    struct node *parent; /* NULL: no name */
    char name[8];
    uint8_t *bytes;
    size_t size;
    int opens;
};

struct opened {
    struct node *node; /* NULL: closed */
    unsigned flags;
    size_t offset;
};

static struct node nodes[INODES];
static struct opened opened[FS_OPEN_MAX];

static struct node *const root = &nodes[0];

static struct node *child_of(const struct node *parent, const char *name)
{
    for (size_t i = 1; i < INODES; i++) {
        if (nodes[i].exists && nodes[i].parent == parent && strcmp(nodes[i].name, name) == 0)
            return &nodes[i];
    }
    return NULL;
}

static int entry_count(const struct node *parent)
{
    int count = 0;

    for (size_t i = 1; i < INODES; i++)
        count += nodes[i].exists && nodes[i].parent == parent;
    return count;
}

/* Walks all names but the last; returns the directory, and the last name. */
static int model_parent(const char *path, struct node **parent, char *name)
{
    char copy[FS_PATH_MAX + 1];
    struct node *node = root;

    strcpy(copy, path);
    char *next = strtok(copy, "/");
    if (next == NULL)
        return -EBUSY;
    for (;;) {
        if (!node->directory)
            return -ENOTDIR;
        strcpy(name, next);
        next = strtok(NULL, "/");
        if (next == NULL)
            break;
        node = child_of(node, name);
        if (node == NULL)
            return -ENOENT;
    }
    *parent = node;
    return 0;
}

static int model_find(const char *path, struct node **found)
{
    char name[FS_NAME_MAX + 1];
    struct node *parent;
    int result = model_parent(path, &parent, name);

    if (result == -EBUSY) {
        *found = root;
        return 0;
    }
    if (result == 0) {
        *found = child_of(parent, name);
        result = *found == NULL ? -ENOENT : 0;
    }
    return result;
}

static int model_create(struct node *parent, const char *name, bool directory, struct node **made)
{
    for (size_t i = 1; i < INODES; i++) {
        if (nodes[i].exists)
            continue;
        nodes[i] = (struct node){.exists = true, .directory = directory, .parent = parent};
        strcpy(nodes[i].name, name);
        *made = &nodes[i];
        return 0;
    }
    return -ENOSPC;
}

static void drop_if_unused(struct node *node)
{
    if (node->parent != NULL || node->opens > 0)
        return;
    free(node->bytes);
    *node = (struct node){0};
}

static int model_open(const char *path, unsigned flags)
{
    char name[FS_NAME_MAX + 1];
    struct node *node = NULL;
    struct node *parent;
    int fd = 0;

    while (fd < FS_OPEN_MAX && opened[fd].node != NULL)
        fd++;
    if (fd == FS_OPEN_MAX)
        return -EMFILE;

    int result = model_find(path, &node);
    if (flags & FS_CREATE) {
        result = model_parent(path, &parent, name);
        if (result == 0 && node == NULL)
            result = model_create(parent, name, false, &node);
    }
    if (result < 0)
        return result;
    if (node->directory)
        return -EISDIR;
    if (flags & FS_TRUNCATE)
        node->size = 0;
    node->opens++;
    opened[fd] = (struct opened){.node = node, .flags = flags};
    return fd;
}

static int model_close(int fd)
{
    struct node *node = opened[fd].node;

    if (node == NULL)
        return -EBADF;
    opened[fd].node = NULL;
    node->opens--;
    drop_if_unused(node);
    return 0;
}

static int64_t model_read(int fd, uint8_t *to, size_t length)
{
    struct opened *file = &opened[fd];

    if (file->node == NULL || !(file->flags & FS_READ))
        return -EBADF;
    if (file->offset >= file->node->size)
        return 0;
    if (length > file->node->size - file->offset)
        length = file->node->size - file->offset;
    memcpy(to, file->node->bytes + file->offset, length);
    file->offset += length;
    return (int64_t)length;
}

static int64_t model_write(int fd, const uint8_t *from, size_t length)
{
    struct opened *file = &opened[fd];
    struct node *node = file->node;

    if (node == NULL || !(file->flags & FS_WRITE))
        return -EBADF;
    if (file->flags & FS_APPEND)
        file->offset = node->size;
    if (length == 0)
        return 0;
    if (file->offset >= FS_SIZE_MAX)
        return -EFBIG;
    if (length > FS_SIZE_MAX - file->offset)
        length = FS_SIZE_MAX - file->offset;

    size_t end = file->offset + length;
    if (end > node->size) {
        node->bytes = realloc(node->bytes, end);
        memset(node->bytes + node->size, 0, end - node->size);
        node->size = end;
    }
    memcpy(node->bytes + file->offset, from, length);
    file->offset = end;
    return (int64_t)length;
}

static int64_t model_seek(int fd, int64_t offset, enum fs_whence whence)
{
    struct opened *file = &opened[fd];

    if (file->node == NULL)
        return -EBADF;
    if (whence == FS_SEEK_CURRENT)
        offset += (int64_t)file->offset;
    if (whence == FS_SEEK_END)
        offset += (int64_t)file->node->size;
    if (offset < 0 || offset > FS_SIZE_MAX)
        return -EINVAL;
    file->offset = (size_t)offset;
    return offset;
}

static int model_may_remove(const struct node *node, bool directory)
{
    if (node == NULL)
        return -ENOENT;
    if (node->directory != directory)
        return directory ? -ENOTDIR : -EISDIR;
    return directory && entry_count(node) > 0 ? -ENOTEMPTY : 0;
}

static int model_remove(const char *path, bool directory)
{
    char name[FS_NAME_MAX + 1];
    struct node *parent;
    int result = model_parent(path, &parent, name);

    if (result < 0)
        return result;
    struct node *node = child_of(parent, name);
    result = model_may_remove(node, directory);
    if (result == 0) {
        node->parent = NULL;
        drop_if_unused(node);
    }
    return result;
}

static int model_mkdir(const char *path)
{
    char name[FS_NAME_MAX + 1];
    struct node *parent, *made;
    int result = model_parent(path, &parent, name);

    if (result < 0)
        return result;
    if (child_of(parent, name) != NULL)
        return -EEXIST;
    return model_create(parent, name, true, &made);
}

static bool is_below(const struct node *node, const struct node *ancestor)
{
    while (node != NULL && node != ancestor)
        node = node->parent;
    return node == ancestor;
}

static int model_rename(const char *from, const char *to)
{
    char from_name[FS_NAME_MAX + 1], to_name[FS_NAME_MAX + 1];
    struct node *from_parent, *to_parent;
    int result = model_parent(from, &from_parent, from_name);

    if (result == 0)
        result = model_parent(to, &to_parent, to_name);
    if (result < 0)
        return result;

    struct node *node = child_of(from_parent, from_name);
    struct node *old = child_of(to_parent, to_name);
    if (node == NULL)
        return -ENOENT;
    if (node == old)
        return 0;
    if (node->directory && is_below(to_parent, node))
        return -EINVAL;
    result = old != NULL ? model_may_remove(old, node->directory) : 0;
    if (result < 0)
        return result;
    if (old != NULL) {
        old->parent = NULL;
        drop_if_unused(old);
    }
    node->parent = to_parent;
    strcpy(node->name, to_name);
    return 0;
}

/* --- Both together. --- */

static uint8_t expected_bytes[LENGTH_MAX], bytes[LENGTH_MAX];

static void random_path(char *path)
{
    uint32_t depth = random_below(5);

    strcpy(path, random_below(8) == 0 ? "//" : "/");
    for (uint32_t i = 0; i < depth; i++) {
        char name[3] = {(char)('a' + random_below(4)), '/', '\0'};
        strcat(path, name);
    }
    if (depth > 0 && random_below(8) != 0)
        path[strlen(path) - 1] = '\0';
}

static unsigned random_flags(void)
{
    static const unsigned flags[] = {
        FS_READ,
        FS_WRITE | FS_CREATE,
        FS_READ | FS_WRITE | FS_CREATE,
        FS_READ | FS_WRITE | FS_CREATE | FS_TRUNCATE,
        FS_WRITE | FS_APPEND,
        FS_READ | FS_WRITE | FS_CREATE | FS_APPEND,
    };

    return flags[random_below(sizeof(flags) / sizeof(flags[0]))];
}

static void both_open_or_close(void)
{
    char path[64];
    unsigned flags = random_flags();
    int fd = (int)random_below(FS_OPEN_MAX);

    random_path(path);
    if (random_below(2) == 0)
        assert_int_equal(fs_open(path, flags), model_open(path, flags));
    else
        assert_int_equal(fs_close(fd), model_close(fd));
}

static void both_read(void)
{
    int fd = (int)random_below(FS_OPEN_MAX);
    size_t length = random_below(LENGTH_MAX);
    int64_t expected = model_read(fd, expected_bytes, length);

    assert_int_equal(fs_read(fd, bytes, length), expected);
    if (expected > 0)
        assert_memory_equal(bytes, expected_bytes, expected);
}

static void both_write(void)
{
    int fd = (int)random_below(FS_OPEN_MAX);
    size_t length = random_below(16) == 0 ? 0 : random_below(LENGTH_MAX);

    for (size_t i = 0; i < length; i++)
        bytes[i] = (uint8_t)random_word();
    int64_t expected = model_write(fd, bytes, length);
    assert_int_equal(fs_write(fd, bytes, length), expected);
}

static void both_seek(void)
{
    int fd = (int)random_below(FS_OPEN_MAX);
    int64_t offset = (int64_t)random_below(SEEK_MAX) - SEEK_MAX / 4;
    enum fs_whence whence = random_below(3);

    assert_int_equal(fs_seek(fd, offset, whence), model_seek(fd, offset, whence));
}

static void both_change_names(void)
{
    char path[64], to[64];

    random_path(path);
    random_path(to);
    switch (random_below(4)) {
    case 0:
        assert_int_equal(fs_mkdir(path), model_mkdir(path));
        break;
    case 1:
        assert_int_equal(fs_rename(path, to), model_rename(path, to));
        break;
    case 2:
        assert_int_equal(fs_unlink(path), model_remove(path, false));
        break;
    default:
        assert_int_equal(fs_rmdir(path), model_remove(path, true));
    }
}

static void check_entries(const char *path, const struct node *node)
{
    struct fs_entry entry;
    size_t count = 0;
    int result;

    while ((result = fs_readdir(path, count, &entry)) == 1) {
        const struct node *child = child_of(node, entry.name);
        assert_non_null(child);
        assert_int_equal(entry.kind == FS_DIRECTORY, child->directory);
        count++;
    }
    assert_int_equal(result, node->directory ? 0 : -ENOTDIR);
    assert_int_equal(count, entry_count(node));
}

static void both_look(void)
{
    char path[64];
    struct fs_stat status;
    struct node *node;

    random_path(path);
    int result = model_find(path, &node);
    assert_int_equal(fs_stat(path, &status), result);
    if (result < 0)
        return;
    assert_int_equal(status.kind == FS_DIRECTORY, node->directory);
    assert_int_equal(status.size, node->directory ? (size_t)entry_count(node) * 64 : node->size);
    assert_true(status.blocks <= (status.size + PAGE_SIZE - 1) / PAGE_SIZE);
    assert_true(status.created <= status.modified && status.modified <= clock_ns);
    check_entries(path, node);
}

/* Removes everything in a directory and the directory, including open files. */
static void remove_all(const char *path)
{
    struct fs_entry entry;
    size_t length = strlen(path);
    char *below = malloc(length + sizeof(entry.name) + 1);

    while (fs_readdir(path, 0, &entry) == 1) {
        sprintf(below, "%s/%s", length == 1 ? "" : path, entry.name);
        if (entry.kind == FS_DIRECTORY) {
            remove_all(below);
            assert_int_equal(fs_rmdir(below), 0);
        } else {
            assert_int_equal(fs_unlink(below), 0);
        }
    }
    free(below);
}

static void close_all(void)
{
    for (int fd = 0; fd < FS_OPEN_MAX; fd++)
        fs_close(fd);
}

/* --- The tests. Each leaves an empty file system, which check_nothing_left checks. --- */

static uint8_t *memory;
static size_t free_at_first, free_when_empty;

static int make_file_system(void **state)
{
    (void)state;
    memory = aligned_alloc(PAGE_SIZE, PAGES * PAGE_SIZE);
    pages_add((uintptr_t)memory, PAGES);
    free_at_first = pages_free_count();
    assert_int_equal(fs_init(), 0);
    free_when_empty = pages_free_count();
    assert_int_equal(free_when_empty, free_at_first - 1);
    return 0;
}

static int check_nothing_left(void **state)
{
    (void)state;
    close_all();
    remove_all("/");
    assert_int_equal(pages_free_count(), free_when_empty);
    assert_int_equal(kernel_flag, 0);
    return 0;
}

static void random_calls_agree_with_the_model(void **state)
{
    static void (*const calls[])(void) = {
        both_open_or_close, both_open_or_close, both_read,         both_write,
        both_seek,          both_look,          both_change_names, both_change_names,
    };

    (void)state;
    random_begin(7);
    *root = (struct node){.exists = true, .directory = true};
    for (int step = 0; step < STEPS; step++) {
        calls[random_below(sizeof(calls) / sizeof(calls[0]))]();
        assert_int_equal(kernel_flag, 0);
    }
    for (size_t i = 0; i < INODES; i++)
        free(nodes[i].bytes);
}

static void paths_of_the_wrong_form_are_refused(void **state)
{
    char name[FS_NAME_MAX + 3] = "/";
    char path[FS_PATH_MAX + 2];
    struct fs_stat status;

    (void)state;
    assert_int_equal(fs_mkdir(""), -EINVAL);
    assert_int_equal(fs_mkdir("a"), -EINVAL);
    assert_int_equal(fs_mkdir("/."), -EINVAL);
    assert_int_equal(fs_rename("/a", "/../b"), -EINVAL);
    assert_int_equal(fs_stat("/a/./b", &status), -EINVAL);
    assert_int_equal(fs_mkdir("/..."), 0);

    memset(name + 1, 'n', FS_NAME_MAX);
    assert_int_equal(fs_mkdir(name), 0);
    name[FS_NAME_MAX + 1] = 'n';
    assert_int_equal(fs_mkdir(name), -ENAMETOOLONG);

    memset(path, '/', sizeof(path));
    path[FS_PATH_MAX] = '\0';
    assert_int_equal(fs_stat(path, &status), 0);
    path[FS_PATH_MAX] = '/';
    path[FS_PATH_MAX + 1] = '\0';
    assert_int_equal(fs_stat(path, &status), -ENAMETOOLONG);
}

static void flags_without_sense_are_refused(void **state)
{
    (void)state;
    assert_int_equal(fs_open("/f", 0), -EINVAL);
    assert_int_equal(fs_open("/f", FS_CREATE), -EINVAL);
    assert_int_equal(fs_open("/f", FS_READ | FS_CREATE), -EINVAL);
    assert_int_equal(fs_open("/f", FS_READ | FS_TRUNCATE), -EINVAL);
    assert_int_equal(fs_open("/f", FS_READ | 32), -EINVAL);
    assert_int_equal(fs_open("/f", FS_READ), -ENOENT);
}

static void descriptors_run_out_and_come_back(void **state)
{
    struct fs_stat status;

    (void)state;
    for (int fd = 0; fd < FS_OPEN_MAX; fd++)
        assert_int_equal(fs_open("/f", FS_WRITE | FS_CREATE), fd);
    assert_int_equal(fs_open("/g", FS_WRITE | FS_CREATE), -EMFILE);
    assert_int_equal(fs_stat("/g", &status), -ENOENT);
    assert_int_equal(fs_close(9), 0);
    assert_int_equal(fs_close(9), -EBADF);
    assert_int_equal(fs_open("/g", FS_READ), -ENOENT);
    assert_int_equal(fs_open("/f", FS_READ), 9);

    assert_int_equal(fs_close(-1), -EBADF);
    assert_int_equal(fs_close(FS_OPEN_MAX), -EBADF);
    assert_int_equal(fs_read(-1, bytes, 1), -EBADF);
    assert_int_equal(fs_write(9, bytes, 1), -EBADF);
    assert_int_equal(fs_read(8, bytes, 1), -EBADF);
}

static void a_file_ends_at_the_largest_size(void **state)
{
    int fd = fs_open("/f", FS_READ | FS_WRITE | FS_CREATE);
    struct fs_stat status;

    (void)state;
    assert_int_equal(fs_seek(fd, FS_SIZE_MAX - 3, FS_SEEK_SET), FS_SIZE_MAX - 3);
    assert_int_equal(fs_write(fd, "abcde", 5), 3);
    assert_int_equal(fs_write(fd, "de", 2), -EFBIG);
    assert_int_equal(fs_write(fd, "de", 0), 0);
    assert_int_equal(fs_seek(fd, 1, FS_SEEK_END), -EINVAL);
    assert_int_equal(fs_seek(fd, INT64_MAX, FS_SEEK_CURRENT), -EINVAL);
    assert_int_equal(fs_seek(fd, INT64_MIN, FS_SEEK_CURRENT), -EINVAL);
    assert_int_equal(fs_seek(fd, -5, FS_SEEK_CURRENT), FS_SIZE_MAX - 5);
    assert_int_equal(fs_read(fd, bytes, 10), 5);
    assert_memory_equal(bytes, "\0\0abc", 5);

    /* All but the end is a hole without memory. */
    assert_int_equal(fs_stat("/f", &status), 0);
    assert_int_equal(status.size, FS_SIZE_MAX);
    assert_int_equal(status.blocks, 1);
}

static void access_and_change_are_dated(void **state)
{
    int fd = fs_open("/f", FS_READ | FS_WRITE | FS_CREATE);
    struct fs_stat first, second;

    (void)state;
    assert_int_equal(fs_write(fd, "abc", 3), 3);
    assert_int_equal(fs_stat("/f", &first), 0);
    assert_true(first.modified > first.created);

    /*
     * Only the first read after a change updates the time; more reads, only after the next change.
     */
    assert_int_equal(fs_seek(fd, 0, FS_SEEK_SET), 0);
    assert_int_equal(fs_read(fd, bytes, 1), 1);
    assert_int_equal(fs_stat("/f", &first), 0);
    assert_true(first.accessed > first.modified);
    assert_int_equal(fs_read(fd, bytes, 1), 1);
    assert_int_equal(fs_stat("/f", &second), 0);
    assert_int_equal(second.accessed, first.accessed);
}

/* Writes until no block is left, to files of the largest size, so that there are enough inodes. */
static void fill(void)
{
    char name[16];
    int64_t done = 1;

    for (int i = 0; done > 0; i++) {
        sprintf(name, "/fill%d", i);
        int fd = fs_open(name, FS_WRITE | FS_CREATE);
        if (fd == -ENOSPC)
            break;
        while ((done = fs_write(fd, bytes, LENGTH_MAX)) == LENGTH_MAX) {
        }
        if (done > 0)
            done = fs_write(fd, bytes, LENGTH_MAX) == -ENOSPC ? 0 : 1;
        done = done == -EFBIG ? 1 : done;
        fs_close(fd);
    }
}

static void space_ends_at_half_of_the_memory(void **state)
{
    struct fs_stat status;

    (void)state;
    fill();
    assert_int_equal(pages_free_count(), free_at_first - free_at_first / 2);
    assert_int_equal(fs_mkdir("/d"), -ENOSPC);
    assert_int_equal(fs_open("/f", FS_WRITE | FS_CREATE), -ENOSPC);
    assert_int_equal(fs_stat("/f", &status), -ENOENT);

    /* What needs no space works, and frees some. */
    assert_int_equal(fs_rename("/fill0", "/fill1"), 0);
    assert_int_equal(fs_mkdir("/d"), 0);
    assert_int_equal(fs_rename("/fill2", "/d/fill2"), 0);
}

static void inodes_run_out_and_come_back(void **state)
{
    char name[16];
    int made = 0;

    (void)state;
    do {
        sprintf(name, "/%d", made);
    } while (fs_mkdir(name) == 0 && ++made);
    assert_int_equal(made, INODES - 1);
    assert_int_equal(fs_mkdir(name), -ENOSPC);
    assert_int_equal(fs_rmdir("/77"), 0);
    assert_int_equal(fs_mkdir(name), 0);
}

/* A rename without room for the new name must keep the old one. */
static void a_rename_without_space_changes_nothing(void **state)
{
    struct fs_stat status;

    (void)state;
    assert_int_equal(fs_mkdir("/d"), 0);
    assert_int_equal(fs_mkdir("/source"), 0);
    fill();
    assert_int_equal(fs_rename("/source", "/d/target"), -ENOSPC);
    assert_int_equal(fs_stat("/source", &status), 0);
    assert_int_equal(fs_stat("/d/target", &status), -ENOENT);
}

/* One block is left: enough for the inode, but not for its name in a directory without blocks. */
static void what_gets_no_name_leaves_nothing(void **state)
{
    struct fs_entry entry;

    (void)state;
    assert_int_equal(fs_mkdir("/d"), 0);
    assert_int_equal(fs_mkdir("/last"), 0);
    fill();
    assert_int_equal(fs_rmdir("/last"), 0);

    size_t left = pages_free_count();
    assert_int_equal(fs_mkdir("/d/d"), -ENOSPC);
    assert_int_equal(fs_open("/d/f", FS_WRITE | FS_CREATE), -ENOSPC);
    assert_int_equal(pages_free_count(), left);
    assert_int_equal(fs_readdir("/d", 0, &entry), 0);
    assert_int_equal(fs_mkdir("/last"), 0);
    assert_int_equal(fs_mkdir("/more"), -ENOSPC);
}

#define FS_TEST(test) cmocka_unit_test_teardown(test, check_nothing_left)

int main(void)
{
    const struct CMUnitTest tests[] = {
        FS_TEST(random_calls_agree_with_the_model),
        FS_TEST(paths_of_the_wrong_form_are_refused),
        FS_TEST(flags_without_sense_are_refused),
        FS_TEST(descriptors_run_out_and_come_back),
        FS_TEST(a_file_ends_at_the_largest_size),
        FS_TEST(access_and_change_are_dated),
        FS_TEST(space_ends_at_half_of_the_memory),
        FS_TEST(inodes_run_out_and_come_back),
        FS_TEST(a_rename_without_space_changes_nothing),
        FS_TEST(what_gets_no_name_leaves_nothing),
    };
    int failed = cmocka_run_group_tests(tests, make_file_system, NULL);

    free(memory);
    return failed;
}
