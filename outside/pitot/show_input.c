/* SPDX-License-Identifier: BSD-2-Clause */
/* See show.h. */
#define _GNU_SOURCE
#include <byteswap.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/abi/perf_pipe.h"
#include "outside/pitot/files.h"
#include "outside/pitot/show.h"

#define GUEST       "[guest.kernel.kallsyms"
#define MAPS_WITHIN (1 << 20) /* bytes at the start of a recording, in which perf maps kernels */

/* The beginning of a file's header; a stream's ends after `size`. */
struct head {
    uint64_t magic, size, attribute_size;
    uint64_t attributes[2];
    uint64_t data_offset, data_size;
};

static int check_head(const char *path, const struct head *head, uint64_t size, bool *streams,
                      struct refusal *why)
{
    if (size == 0)
        return refuse(why, EINVAL, "%s is empty: its recording did not end", path);
    if (size < sizeof(struct perf_pipe_header) ||
        (head->magic != PERF_PIPE_MAGIC && head->magic != bswap_64(PERF_PIPE_MAGIC)))
        return refuse(why, EINVAL, "%s is no recording of perf; pitot record writes one", path);
    if (head->magic != PERF_PIPE_MAGIC)
        return refuse(why, EINVAL, "%s: of a big-endian machine; perf report reads it", path);
    *streams = head->size == sizeof(struct perf_pipe_header);
    if (*streams)
        return 0;
    if (size < sizeof(*head) || head->data_offset > size ||
        head->data_size > size - head->data_offset)
        return refuse(why, EINVAL, "%s is truncated: copy it again, or record again", path);
    if (head->data_size == 0)
        return refuse(why, EINVAL, "%s has no sample: its recording did not end", path);
    return 0;
}

/* Whether `perf kvm` has mapped a guest's kernel. */
static bool has_guest(int file, uint64_t offset)
{
    static char maps[MAPS_WITHIN];
    ssize_t count = pread(file, maps, sizeof(maps), (off_t)offset);

    return count > 0 && memmem(maps, (size_t)count, GUEST, strlen(GUEST));
}

int show_input_check(const char *path, struct show_input *input, struct refusal *why)
{
    int file = input_open_file(path, "a recording is a file", why);
    struct stat status;
    struct head head = {0};
    int error;

    if (file < 0)
        return file;
    if (fstat(file, &status) < 0 || read(file, &head, sizeof(head)) < 0)
        error = refuse(why, errno, "%s: %s", path, strerror(errno));
    else
        error = check_head(path, &head, (uint64_t)status.st_size, &input->streams, why);
    if (!error)
        input->guest = has_guest(file, input->streams ? 0 : head.data_offset);
    close(file);
    return error;
}

bool show_input_is(const char *recording, const char *path)
{
    struct stat from, to;

    return stat(recording, &from) == 0 && stat(path, &to) == 0 && from.st_dev == to.st_dev &&
           from.st_ino == to.st_ino;
}

int show_input_copy(const char *path, char **copy, struct refusal *why)
{
    int from = input_open_text(path, "--symbols takes what nm prints", why), to;
    char bytes[65536];
    ssize_t count = 0;

    if (from < 0)
        return from;
    to = memfd_create("pitot-symbols", 0);
    while (to >= 0 && (count = read(from, bytes, sizeof(bytes))) > 0)
        if (write(to, bytes, (size_t)count) != count)
            break;
    close(from);
    if (to < 0 || count != 0)
        return refuse(why, errno, "%s: %s", path, strerror(errno));
    if (asprintf(copy, "/proc/self/fd/%d", to) < 0)
        return refuse(why, ENOMEM, "out of memory");
    return 0;
}
