/* SPDX-License-Identifier: BSD-2-Clause */
/* See blame_file.h. */
#include "outside/pitot/blame_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "outside/pitot/wire_reader.h"

static const char magic[8] = {'p', 'i', 't', 'o', 't', 'B', 'L', 'M'};

static FILE *file;
static const char *name;
static struct wire_reader reader;

static int refuse_file(struct refusal *why)
{
    return refuse(why, errno, "%s: %s", name, strerror(errno));
}

static int open_file(const char *path, const char *mode, struct refusal *why)
{
    name = path;
    file = fopen(path, mode);
    return file ? 0 : refuse_file(why);
}

int blame_file_create(const char *path, const struct kernel *kernel, struct refusal *why)
{
    struct blame_file_head head = {.version = WIRE_VERSION, .build_id_size = kernel->build_id_size};
    int error = open_file(path, "we", why);

    if (error)
        return error;
    memcpy(head.magic, magic, sizeof(magic));
    memcpy(head.build_id, kernel->build_id, sizeof(kernel->build_id));
    memcpy(head.kernel, kernel->path, sizeof(head.kernel));
    return fwrite(&head, sizeof(head), 1, file) == 1 && fflush(file) == 0 ? 0 : refuse_file(why);
}

int blame_file_write(const struct wire_head *record, struct refusal *why)
{
    return fwrite(record, record->size, 1, file) == 1 ? 0 : refuse_file(why);
}

int blame_file_close(struct refusal *why)
{
    return fclose(file) == 0 ? 0 : refuse_file(why);
}

int blame_file_open(const char *path, struct blame_file_head *head, struct refusal *why)
{
    int error = open_file(path, "re", why);

    if (error == -ENOENT)
        return refuse(why, ENOENT, "no %s; pitot blame -- QEMU... writes one", path);
    if (error)
        return error;
    if (fread(head, sizeof(*head), 1, file) != 1 ||
        memcmp(head->magic, magic, sizeof(magic)) != 0 ||
        head->build_id_size > KERNEL_BUILD_ID_MAX || !memchr(head->kernel, '\0', PATH_MAX))
        return refuse(why, EINVAL, "%s was not written by pitot blame", path);
    if (head->version != WIRE_VERSION)
        return refuse(why, EINVAL, "%s has version %u, %d is expected; record it again", path,
                      head->version, WIRE_VERSION);
    return 0;
}

int blame_file_read(int (*take)(const struct wire_head *record, struct refusal *why),
                    struct refusal *why)
{
    const struct wire_head *record;
    bool whole = false;
    size_t room, count;
    void *at = wire_room(&reader, &room);
    int found = 0, error;

    while (found == 0 && (count = fread(at, 1, room, file)) > 0) {
        wire_filled(&reader, count);
        while ((found = wire_next(&reader, &record, NULL)) > 0) {
            whole = record->kind == WIRE_END;
            if ((error = take(record, why)) != 0)
                return error;
        }
        at = wire_room(&reader, &room);
    }
    fclose(file);
    if (found < 0)
        return refuse(why, EINVAL, "%s is damaged; record it again", name);
    return whole ? 0
                 : refuse(why, EINVAL, "%s is not whole: QEMU was killed; record it again", name);
}
