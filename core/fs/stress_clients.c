/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The clients of fs-stress: five ways in which programs use files. core/fs/fs_stress.c calls each
 * once a round, in task context. Each checks all that it wrote, lock files aside, and what it
 * leaves behind for the next round.
 */
#include "core/fs/stress.h"
#include "core/fs/visible.h"
#include "core/print.h"
#include "core/string.h"

#define EDITOR   STRESS_ROOT "/editor"
#define LOGGER   STRESS_ROOT "/logger"
#define DATABASE STRESS_ROOT "/database"
#define BUILDER  STRESS_ROOT "/builder"
#define SCRATCH  STRESS_ROOT "/scratch"

#define LOG_LINES   32   /* in a visit */
#define LOG_LIMIT   5000 /* bytes, then the log is rotated */
#define RECORD_SIZE 200
#define UPDATES     5 /* in a visit */
#define QUERIES     100
#define BUILD_DEPTH 3

int stress_prepare(struct stress *stress, struct fs_account *account)
{
    static const char *const directories[] = {EDITOR, LOGGER, DATABASE, BUILDER, SCRATCH};
    int result = step_mkdir_accounted(stress, STRESS_ROOT, account);

    for (size_t i = 0; result == 0 && i < sizeof(directories) / sizeof(directories[0]); i++)
        result = step_mkdir(stress, directories[i]);
    return result;
}

/*
 * Saves as careful editors do: the whole text into a draft, and only when that is as long as it
 * must be, over the old text.
 */
VISIBLE static int client_editor(struct stress *stress)
{
    struct content text = {.seed = stress_between(stress, 1, 1u << 30),
                           .length = stress_between(stress, 200, 9000)};
    int result = step_write(stress, EDITOR "/draft", FS_CREATE | FS_TRUNCATE, text);

    if (result == 0)
        result = step_expect_size(stress, EDITOR "/draft", text.length);
    if (result == 0)
        result = step_rename(stress, EDITOR "/draft", EDITOR "/text");
    if (result == 0)
        result = step_verify(stress, EDITOR "/text", text);
    return result;
}

VISIBLE static int append_to(struct stress *stress, const char *path, struct content content)
{
    int fd = step_open(stress, path, FS_WRITE | FS_CREATE | FS_APPEND);

    if (fd < 0)
        return fd;
    return step_close_after(stress, fd, path, step_write_open(stress, fd, path, content));
}

/*
 * A line under a lock file, as programs do that share a log. The lock is made under another name,
 * so that whoever sees it finds in it who has it.
 */
static int append_line(struct stress *stress)
{
    struct content owner = {.seed = 1, .length = 8};
    struct content line = {.seed = stress->log_generation,
                           .start = stress->log_length,
                           .length = stress_between(stress, 20, 200)};
    int result = append_to(stress, LOGGER "/lock.new", owner);

    if (result == 0)
        result = step_rename(stress, LOGGER "/lock.new", LOGGER "/lock");
    if (result == 0)
        result = append_to(stress, LOGGER "/log", line);
    stress->log_length += line.length;
    return result == 0 ? step_unlink(stress, LOGGER "/lock") : result;
}

static int rotate_log(struct stress *stress)
{
    int result = step_rename(stress, LOGGER "/log", LOGGER "/log.old");

    if (result == 0)
        result = step_expect_size(stress, LOGGER "/log.old", stress->log_length);
    stress->log_generation++;
    stress->log_length = 0;
    return result;
}

/* Appends lines, opening the log for each, reads all, and rotates the log when it has grown. */
VISIBLE static int client_logger(struct stress *stress)
{
    int result = 0;

    for (int line = 0; result == 0 && line < LOG_LINES; line++)
        result = append_line(stress);
    if (result < 0)
        return result;

    struct content log = {.seed = stress->log_generation, .length = stress->log_length};
    result = step_verify(stress, LOGGER "/log", log);
    return result == 0 && stress->log_length > LOG_LIMIT ? rotate_log(stress) : result;
}

/* A record's contents tell its number and its version. */
static struct content record_content(const struct stress *stress, uint32_t record)
{
    return (struct content){.seed = stress->versions[record] * STRESS_RECORDS + record,
                            .start = (size_t)record * RECORD_SIZE,
                            .length = RECORD_SIZE};
}

/* One that has been written; others read as zeros and are not asked for. */
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
        result = step_seek(stress, fd, DATABASE "/records", content.start);
        if (result == 0)
            result = step_write_open(stress, fd, DATABASE "/records", content);
    }
    return result;
}

static int query_records(struct stress *stress, int fd)
{
    int result = 0;

    for (int i = 0; result == 0 && i < QUERIES; i++) {
        uint32_t record = written_record(stress);
        struct content content = record_content(stress, record);

        result = step_seek(stress, fd, DATABASE "/records", content.start);
        if (result == 0)
            result = step_verify_open(stress, fd, DATABASE "/records", content);
    }
    return result;
}

/* Records of one size in one file with holes, written and read in any order. */
VISIBLE static int client_database(struct stress *stress)
{
    int fd = step_open(stress, DATABASE "/records", FS_READ | FS_WRITE | FS_CREATE);

    if (fd < 0)
        return fd;

    int result = update_records(stress, fd);
    if (result == 0)
        result = query_records(stress, fd);
    return step_close_after(stress, fd, DATABASE "/records", result);
}

/*
 * Directories one in the other, from stress->path, each with one file. Returns the bytes in all
 * files.
 */
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

/* What build_tree made, from the innermost directory outwards. */
static int remove_build(struct stress *stress)
{
    int result = 0;

    print_into(stress->path, sizeof(stress->path), BUILDER "/release/part/part");
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
    return found == built ? 0 : stress_wrong(path, "does not hold what was built");
}

/*
 * Makes a tree of directories and objects, looks what is in it before and after it is moved, and
 * removes it.
 */
VISIBLE static int client_builder(struct stress *stress)
{
    print_into(stress->path, sizeof(stress->path), BUILDER "/build");
    int64_t built = build_tree(stress);
    if (built < 0)
        return (int)built;

    int result = expect_in_tree(stress, BUILDER "/build", built);
    if (result == 0)
        result = step_rename(stress, BUILDER "/build", BUILDER "/release");
    if (result == 0)
        result = expect_in_tree(stress, BUILDER "/release", built);
    return result < 0 ? result : remove_build(stress);
}

/* A file that loses its name while it is open lives on, and its space comes back with the close. */
VISIBLE static int client_scratch(struct stress *stress)
{
    struct content scrap = {.seed = (uint32_t)stress->round, .length = 2 * 4096 + 1};
    int fd = step_open(stress, SCRATCH "/scrap", FS_READ | FS_WRITE | FS_CREATE);

    if (fd < 0)
        return fd;

    int result = step_unlink(stress, SCRATCH "/scrap");
    if (result == 0)
        result = step_write_open(stress, fd, SCRATCH "/scrap", scrap);
    if (result == 0)
        result = step_seek(stress, fd, SCRATCH "/scrap", 0);
    if (result == 0)
        result = step_verify_open(stress, fd, SCRATCH "/scrap", scrap);
    return step_close_after(stress, fd, SCRATCH "/scrap", result);
}

stress_client *const stress_clients[STRESS_CLIENTS + 1] = {
    client_editor, client_logger, client_database, client_builder, client_scratch, NULL};
