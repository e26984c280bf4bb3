/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The clients of fs-stress: five ways in which programs use files. core/fs/fs_stress.c calls each
 * once a round, in task context. Each checks all that it wrote, and what it leaves behind for the
 * next round.
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

#define LOG_LIMIT   500 /* bytes, then the log is rotated */
#define RECORD_SIZE 200
#define BUILD_DEPTH 3

int stress_prepare(struct stress *stress)
{
    static const char *const directories[] = {STRESS_ROOT, EDITOR,  LOGGER,
                                              DATABASE,    BUILDER, SCRATCH};
    int result = 0;

    for (size_t i = 0; result == 0 && i < sizeof(directories) / sizeof(directories[0]); i++)
        result = step_mkdir(stress, directories[i]);
    return result;
}

/*
 * Saves as careful editors do: the whole text into a draft, and only when that holds it, over the
 * old text.
 */
VISIBLE static int client_editor(struct stress *stress)
{
    struct content text = {.seed = stress_between(stress, 1, 1u << 30),
                           .length = stress_between(stress, 200, 9000)};
    int result = step_write(stress, EDITOR "/draft", FS_CREATE | FS_TRUNCATE, text);

    if (result == 0)
        result = step_verify(stress, EDITOR "/draft", text);
    if (result == 0)
        result = step_rename(stress, EDITOR "/draft", EDITOR "/text");
    if (result == 0)
        result = step_expect_size(stress, EDITOR "/text", text.length);
    if (result == 0)
        result = step_verify(stress, EDITOR "/text", text);
    return result;
}

VISIBLE static int rotate_log(struct stress *stress)
{
    int result = step_rename(stress, LOGGER "/log", LOGGER "/log.old");

    if (result == 0)
        result = step_expect_size(stress, LOGGER "/log.old", stress->log_length);
    stress->log_generation++;
    stress->log_length = 0;
    return result;
}

/* Appends lines, opening the log for each, and rotates it when it has grown. */
VISIBLE static int client_logger(struct stress *stress)
{
    for (int line = 0; line < 2; line++) {
        struct content text = {.seed = stress->log_generation,
                               .start = stress->log_length,
                               .length = stress_between(stress, 20, 300)};
        int result = step_write(stress, LOGGER "/log", FS_CREATE | FS_APPEND, text);
        if (result < 0)
            return result;
        stress->log_length += text.length;
    }

    struct content log = {.seed = stress->log_generation, .length = stress->log_length};
    int result = step_verify(stress, LOGGER "/log", log);
    if (result == 0 && stress->log_length > LOG_LIMIT)
        result = rotate_log(stress);
    return result;
}

/*
 * A record's contents tell its number and its version. What was never written reads as zeros and is
 * not asked for.
 */
static struct content record_content(const struct stress *stress, uint32_t record)
{
    return (struct content){.seed = stress->versions[record] * STRESS_RECORDS + record,
                            .start = (size_t)record * RECORD_SIZE,
                            .length = RECORD_SIZE};
}

VISIBLE static int update_records(struct stress *stress, int fd)
{
    int result = 0;

    for (int i = 0; result == 0 && i < 3; i++) {
        uint32_t record = stress_between(stress, 0, STRESS_RECORDS - 1);

        stress->versions[record]++;
        result = step_write_open(stress, fd, DATABASE "/records", record_content(stress, record));
    }
    return result;
}

VISIBLE static int query_records(struct stress *stress, int fd)
{
    int result = 0;

    for (int i = 0; result == 0 && i < 4; i++) {
        uint32_t record = stress_between(stress, 0, STRESS_RECORDS - 1);

        if (stress->versions[record] > 0)
            result =
                step_verify_open(stress, fd, DATABASE "/records", record_content(stress, record));
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
    int closed = step_close(stress, fd, DATABASE "/records");
    return result < 0 ? result : closed;
}

/*
 * A directory at stress->path with one file, and another such directory in it, `depth` deep: the
 * bytes in all files.
 */
VISIBLE static int64_t build_tree(struct stress *stress, int depth)
{
    struct content object = {.seed = (uint32_t)depth, .length = stress_between(stress, 1, 2000)};
    size_t length = strlen(stress->path);
    int64_t below = 0;
    int result = step_mkdir(stress, stress->path);

    if (result == 0) {
        print_into(stress->path + length, sizeof(stress->path) - length, "/object");
        result = step_write(stress, stress->path, FS_CREATE, object);
    }
    if (result == 0 && depth > 1) {
        print_into(stress->path + length, sizeof(stress->path) - length, "/part");
        below = build_tree(stress, depth - 1);
    }
    stress->path[length] = '\0';

    if (result < 0)
        return result;
    return below < 0 ? below : below + (int64_t)object.length;
}

/* Makes a tree of directories and objects, moves it, counts what is in it, and removes it. */
VISIBLE static int client_builder(struct stress *stress)
{
    print_into(stress->path, sizeof(stress->path), BUILDER "/build");
    int64_t built = build_tree(stress, BUILD_DEPTH);
    if (built < 0)
        return (int)built;

    int result = step_rename(stress, BUILDER "/build", BUILDER "/release");
    if (result < 0)
        return result;

    print_into(stress->path, sizeof(stress->path), BUILDER "/release");
    int64_t found = stress_scan_tree(stress);
    if (found < 0)
        return (int)found;
    if (found != built)
        return stress_wrong(stress->path, "does not hold what was built");
    result = stress_remove_tree(stress);
    STAY_IN_CHAIN();
    return result;
}

/* A file that loses its name while it is open lives on, and its space comes back with the close. */
VISIBLE static int client_scratch(struct stress *stress)
{
    struct content scrap = {.seed = (uint32_t)stress->round, .length = 3 * 4096 + 1};
    int fd = step_open(stress, SCRATCH "/scrap", FS_READ | FS_WRITE | FS_CREATE);

    if (fd < 0)
        return fd;

    int result = step_unlink(stress, SCRATCH "/scrap");
    if (result == 0)
        result = step_write_open(stress, fd, SCRATCH "/scrap", scrap);
    if (result == 0)
        result = step_verify_open(stress, fd, SCRATCH "/scrap", scrap);
    int closed = step_close(stress, fd, SCRATCH "/scrap");
    return result < 0 ? result : closed;
}

stress_client *const stress_clients[] = {client_editor,  client_logger,  client_database,
                                         client_builder, client_scratch, NULL};
