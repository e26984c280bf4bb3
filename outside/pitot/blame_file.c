/* SPDX-License-Identifier: BSD-2-Clause */
/* See blame.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "outside/pitot/blame.h"
#include "outside/pitot/files.h"
#include "outside/pitot/plain.h"
#include "outside/pitot/watch.h"

static const char magic[8] = {'p', 'i', 't', 'o', 't', 'B', 'L', 'M'};

static FILE *file;
static struct output output;
static const char *name;
static uint64_t sum; /* of what was written */
static struct wire_reader reader;

static int refuse_file(struct refusal *why)
{
    return refuse(why, errno, "%s: %s", name, strerror(errno));
}

static int refuse_damaged(struct refusal *why)
{
    return refuse(why, EINVAL, "%s is damaged, or pitot was killed; record it again", name);
}

/* Each step can be undone, so one wrong word always changes the result. */
static uint64_t add_to_sum(uint64_t before, const void *bytes, size_t size)
{
    const uint64_t *words = bytes;

    for (size_t i = 0; i < size / sizeof(*words); i++) {
        before = (before ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15); /* any odd number */
        before ^= before >> 32;
    }
    return before;
}

static int write_words(const void *bytes, size_t size, struct refusal *why)
{
    sum = add_to_sum(sum, bytes, size);
    return fwrite(bytes, size, 1, file) == 1 ? 0 : refuse_file(why);
}

int blame_file_create(const char *path, const struct kernel *kernel, struct refusal *why)
{
    struct blame_file_head head = {.version = BLAME_FILE_VERSION,
                                   .build_id_size = kernel->build_id_size};
    int descriptor, error;

    if (!plain_is(kernel->path))
        return refuse(why, EINVAL,
                      "%s: %s cannot keep a path with control characters or without UTF-8; rename "
                      "it",
                      kernel->path, path);
    descriptor = output_open(&output, path, why);
    if (descriptor < 0)
        return descriptor;
    name = path;
    file = fdopen(descriptor, "w");
    if (!file)
        return refuse_file(why);
    memcpy(head.magic, magic, sizeof(magic));
    memcpy(head.build_id, kernel->build_id, sizeof(kernel->build_id));
    memcpy(head.kernel, kernel->path, sizeof(head.kernel));
    error = write_words(&head, sizeof(head), why);
    return !error && fflush(file) != 0 ? refuse_file(why) : error;
}

int blame_file_write(const struct wire_head *record, struct refusal *why)
{
    return write_words(record, record->size, why);
}

int blame_file_close(bool whole, struct refusal *why)
{
    uint64_t all = ~sum; /* so that no sum of all is 0 */
    int error = write_words(&all, sizeof(all), why);

    if (fclose(file) != 0 && !error)
        error = refuse_file(why);
    if (!error && whole)
        error = output_keep(&output, why);
    output_drop(&output);
    return error;
}

/*
 * Compares the file with the checksum at its end, and returns to where it was. `all`: that of the
 * head.
 */
static int check_sum(uint64_t all, struct refusal *why)
{
    uint64_t words[4096], last = 0;
    long begin = ftell(file);
    bool whole = false;
    size_t count;

    while ((count = fread(words, sizeof(*words), sizeof(words) / sizeof(*words), file)) > 0) {
        if (whole)
            all = add_to_sum(all, &last, sizeof(last));
        whole = true;
        all = add_to_sum(all, words, (count - 1) * sizeof(*words));
        last = words[count - 1];
    }
    if (ferror(file))
        return refuse_file(why);
    if (!whole || last != ~all)
        return refuse_damaged(why);
    return fseek(file, begin, SEEK_SET) == 0 ? 0 : refuse_file(why);
}

int blame_file_open(const char *path, struct blame_file_head *head, struct refusal *why)
{
    int descriptor = input_open_file(path, "-i FILE names what pitot blame wrote", why);

    name = path;
    if (descriptor == -ENOENT)
        return refuse(why, ENOENT, "no %s; pitot blame -- QEMU... writes one", path);
    if (descriptor < 0)
        return descriptor;
    file = fdopen(descriptor, "r");
    if (!file)
        return refuse_file(why);
    if (fread(head, sizeof(*head), 1, file) != 1 || memcmp(head->magic, magic, sizeof(magic)) != 0)
        return refuse(why, EINVAL, "%s was not written by pitot blame", path);
    if (head->version != BLAME_FILE_VERSION)
        return refuse(why, EINVAL, "%s has version %u, %d is expected; record it again", path,
                      head->version, BLAME_FILE_VERSION);
    if (head->build_id_size > KERNEL_BUILD_ID_MAX || !memchr(head->kernel, '\0', PATH_MAX) ||
        !plain_is(head->kernel))
        return refuse_damaged(why);
    return check_sum(add_to_sum(0, head, sizeof(*head)), why);
}

int blame_file_read(int (*take)(const struct wire_head *record, struct refusal *why),
                    struct refusal *why)
{
    const struct wire_head *record;
    bool whole = false;
    size_t room, count;
    void *at = wire_room(&reader, &room);
    int found = 0, error = 0;

    while (!error && !whole && found == 0 && (count = fread(at, 1, room, file)) > 0) {
        wire_filled(&reader, count);
        while (!whole && (found = wire_next(&reader, &record, NULL)) > 0) {
            whole = record->kind == WIRE_END;
            if ((error = take(record, why)) != 0)
                return error;
        }
        at = wire_room(&reader, &room);
    }
    fclose(file);
    if (error)
        return error;
    return whole ? 0 : refuse_damaged(why);
}
