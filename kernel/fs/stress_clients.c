/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Five ways in which programs use files. Called once per round, in task context. Each verifies
 * everything it wrote except lock files, including what it keeps for the next round.
 */
#include "core/lib/print.h"
#include "core/lib/string.h"
#include "kernel/fs/stress.h"
#include "kernel/lock/kernel_lock.h"

#define LOG_LINES   32   /* per round */
#define LOG_LIMIT   5000 /* bytes in the log, after which it is rotated */
#define RECORD_SIZE 200
#define UPDATES     5 /* per round */
#define QUERIES     100
#define BUILD_DEPTH 3

static const char *const name_ends[STRESS_NAMES] = {
    [STRESS_EDITOR] = "/editor",          [STRESS_LOGGER] = "/logger",
    [STRESS_DATABASE] = "/database",      [STRESS_BUILDER] = "/builder",
    [STRESS_SCRATCH] = "/scratch",        [STRESS_DRAFT] = "/editor/draft",
    [STRESS_TEXT] = "/editor/text",       [STRESS_NEW_LOCK] = "/logger/lock.new",
    [STRESS_LOCK] = "/logger/lock",       [STRESS_LOG] = "/logger/log",
    [STRESS_OLD_LOG] = "/logger/log.old", [STRESS_FILE_OF_RECORDS] = "/database/records",
    [STRESS_BUILD] = "/builder/build",    [STRESS_RELEASE] = "/builder/release",
    [STRESS_SCRAP] = "/scratch/scrap",
};

void stress_init(struct stress *stress, const char *command, const char *root, uint32_t seed)
{
    *stress = (struct stress){.random = seed, .step = 1, .command = command};
    print_into(stress->root, sizeof(stress->root), "%s", root);
    for (unsigned i = 0; i < STRESS_NAMES; i++)
        print_into(stress->names[i], STRESS_NAME_SIZE, "%s%s", root, name_ends[i]);
}

int stress_prepare(struct stress *stress)
{
    int result = 0;

    for (unsigned i = 0; result == 0 && i < STRESS_DIRECTORIES; i++)
        result = step_mkdir(stress, stress->names[i]);
    return result;
}

/* Saves as a careful editor does: writes a draft, checks its size, renames it over the text. */
VISIBLE static int client_editor(struct stress *stress)
{
    struct content text = {.seed = stress_between(stress, 1, 1u << 30),
                           .length = stress_between(stress, 200, 9000)};
    int result = step_write(stress, stress->names[STRESS_DRAFT], FS_CREATE | FS_TRUNCATE, text);

    if (result == 0)
        result = step_expect_size(stress, stress->names[STRESS_DRAFT], text.length);
    if (result == 0)
        result = step_rename(stress, stress->names[STRESS_DRAFT], stress->names[STRESS_TEXT]);
    if (result == 0)
        result = step_verify(stress, stress->names[STRESS_TEXT], text);
    return result;
}

VISIBLE static int append_to(struct stress *stress, const char *path, struct content content)
{
    int fd = step_open(stress, path, FS_WRITE | FS_CREATE | FS_APPEND);

    if (fd < 0)
        return fd;
    return step_close_after(stress, fd, path, step_write_open(stress, fd, path, content));
}

/* Appends a line under a lock file, which is made under another name so that it is never empty. */
static int append_line(struct stress *stress)
{
    struct content owner = {.seed = 1, .length = 8};
    struct content line = {.seed = stress->log_generation,
                           .start = stress->log_length,
                           .length = stress_between(stress, 20, 200)};
    int result = append_to(stress, stress->names[STRESS_NEW_LOCK], owner);

    if (result == 0)
        result = step_rename(stress, stress->names[STRESS_NEW_LOCK], stress->names[STRESS_LOCK]);
    if (result == 0)
        result = append_to(stress, stress->names[STRESS_LOG], line);
    stress->log_length += line.length;
    return result == 0 ? step_unlink(stress, stress->names[STRESS_LOCK]) : result;
}

static int rotate_log(struct stress *stress)
{
    int result = step_rename(stress, stress->names[STRESS_LOG], stress->names[STRESS_OLD_LOG]);

    if (result == 0)
        result = step_expect_size(stress, stress->names[STRESS_OLD_LOG], stress->log_length);
    stress->log_generation++;
    stress->log_length = 0;
    return result;
}

/* Appends lines, opening the log for each; reads the whole log, and rotates it when it is long. */
VISIBLE static int client_logger(struct stress *stress)
{
    int result = 0;

    for (int line = 0; result == 0 && line < LOG_LINES; line++)
        result = append_line(stress);
    if (result < 0)
        return result;

    struct content log = {.seed = stress->log_generation, .length = stress->log_length};
    result = step_verify(stress, stress->names[STRESS_LOG], log);
    return result == 0 && stress->log_length > LOG_LIMIT ? rotate_log(stress) : result;
}

/* A record's contents identify its number and its version. */
static struct content record_content(const struct stress *stress, uint32_t record)
{
    return (struct content){.seed = stress->versions[record] * STRESS_RECORDS + record,
                            .start = (size_t)record * RECORD_SIZE,
                            .length = RECORD_SIZE};
}

/* Picks a record that has been written; the others read as zeros and are not queried. */
static uint32_t written_record(struct stress *stress)
{
    uint32_t record = stress_between(stress, 0, STRESS_RECORDS - 1);

    while (stress->versions[record] == 0)
        record = (record + 1) % STRESS_RECORDS;
    return record;
}

static int update_records(struct stress *stress, int fd)
{
    int result = 0;

    for (int i = 0; result == 0 && i < UPDATES; i++) {
        uint32_t record = stress_between(stress, 0, STRESS_RECORDS - 1);

        stress->versions[record]++;
        struct content content = record_content(stress, record);
        result = step_seek(stress, fd, stress->names[STRESS_FILE_OF_RECORDS], content.start);
        if (result == 0)
            result = step_write_open(stress, fd, stress->names[STRESS_FILE_OF_RECORDS], content);
    }
    return result;
}

static int query_records(struct stress *stress, int fd)
{
    int result = 0;

    for (int i = 0; result == 0 && i < QUERIES; i++) {
        uint32_t record = written_record(stress);
        struct content content = record_content(stress, record);

        result = step_seek(stress, fd, stress->names[STRESS_FILE_OF_RECORDS], content.start);
        if (result == 0)
            result = step_verify_open(stress, fd, stress->names[STRESS_FILE_OF_RECORDS], content);
    }
    return result;
}

/* Fixed-size records in one file with holes, written and read in random order. */
VISIBLE static int client_database(struct stress *stress)
{
    int fd =
        step_open(stress, stress->names[STRESS_FILE_OF_RECORDS], FS_READ | FS_WRITE | FS_CREATE);

    if (fd < 0)
        return fd;

    int result = update_records(stress, fd);
    if (result == 0)
        result = query_records(stress, fd);
    return step_close_after(stress, fd, stress->names[STRESS_FILE_OF_RECORDS], result);
}

/* Makes nested directories at stress->path, each with a file. Returns the files' total size. */
static int64_t build_tree(struct stress *stress)
{
    int64_t built = 0;

    for (int depth = 0; depth < BUILD_DEPTH; depth++) {
        struct content object = {.seed = stress_between(stress, 1, 1u << 30),
                                 .length = stress_between(stress, 1, 2000)};
        if (depth > 0)
            stress_enter(stress, "part");
        int result = step_mkdir(stress, stress->path);
        stress_enter(stress, "object");
        if (result == 0)
            result = step_write(stress, stress->path, FS_CREATE, object);
        if (result < 0)
            return result;
        stress_leave(stress);
        built += (int64_t)object.length;
    }
    return built;
}

/* Removes what build_tree made, from the innermost directory outwards. */
static int remove_build(struct stress *stress)
{
    int result = 0;

    print_into(stress->path, sizeof(stress->path), "%s/part/part", stress->names[STRESS_RELEASE]);
    for (int depth = 0; result == 0 && depth < BUILD_DEPTH; depth++) {
        stress_enter(stress, "object");
        result = step_unlink(stress, stress->path);
        stress_leave(stress);
        if (result == 0)
            result = step_rmdir(stress, stress->path);
        stress_leave(stress);
    }
    return result;
}

static int expect_in_tree(struct stress *stress, const char *path, int64_t built)
{
    print_into(stress->path, sizeof(stress->path), "%s", path);
    int64_t found = stress_scan_tree(stress);

    if (found < 0)
        return (int)found;
    return found == built ? 0 : stress_wrong(stress, path, "does not hold what was built");
}

/* Builds a tree of directories and objects, checks it before and after a rename, removes it. */
VISIBLE static int client_builder(struct stress *stress)
{
    print_into(stress->path, sizeof(stress->path), "%s", stress->names[STRESS_BUILD]);
    int64_t built = build_tree(stress);
    if (built < 0)
        return (int)built;

    int result = expect_in_tree(stress, stress->names[STRESS_BUILD], built);
    if (result == 0)
        result = step_rename(stress, stress->names[STRESS_BUILD], stress->names[STRESS_RELEASE]);
    if (result == 0)
        result = expect_in_tree(stress, stress->names[STRESS_RELEASE], built);
    return result < 0 ? result : remove_build(stress);
}

/* An open file lives on after it is unlinked; closing it frees its space. */
VISIBLE static int client_scratch(struct stress *stress)
{
    struct content scrap = {.seed = (uint32_t)stress->round, .length = 2 * 4096 + 1};
    int fd = step_open(stress, stress->names[STRESS_SCRAP], FS_READ | FS_WRITE | FS_CREATE);

    if (fd < 0)
        return fd;

    int result = step_unlink(stress, stress->names[STRESS_SCRAP]);
    if (result == 0)
        result = step_write_open(stress, fd, stress->names[STRESS_SCRAP], scrap);
    if (result == 0)
        result = step_seek(stress, fd, stress->names[STRESS_SCRAP], 0);
    if (result == 0)
        result = step_verify_open(stress, fd, stress->names[STRESS_SCRAP], scrap);
    return step_close_after(stress, fd, stress->names[STRESS_SCRAP], result);
}

stress_client *const stress_clients[STRESS_CLIENTS + 1] = {
    client_editor, client_logger, client_database, client_builder, client_scratch, NULL};
