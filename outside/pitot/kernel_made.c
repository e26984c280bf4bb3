/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kernel_write_made of kernel.h: copies the substitute file with its holes. Its segments may be
 * gigabytes apart, as they are in memory. Source: lseek(2), on holes.
 */
#define _GNU_SOURCE
#include "outside/pitot/kernel.h"

#include <errno.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns 0 or an errno. */
static int copy_sparsely(int from, int to, off_t size)
{
    off_t at = 0;

    while ((at = lseek(from, at, SEEK_DATA)) >= 0) {
        off_t end = lseek(from, at, SEEK_HOLE);

        if (end < 0 || lseek(to, at, SEEK_SET) < 0)
            return errno;
        while (at < end) {
            ssize_t count = sendfile(to, from, &at, (size_t)(end - at));
            if (count <= 0)
                return count < 0 ? errno : EIO;
        }
    }
    return errno != ENXIO || ftruncate(to, size) < 0 ? errno : 0; /* ENXIO: no more parts */
}

int kernel_write_made(const struct kernel *kernel, const struct output *output, int file,
                      struct refusal *why)
{
    struct stat status;
    int error = fstat(kernel->made, &status) < 0
                    ? errno
                    : copy_sparsely(kernel->made, file, status.st_size);

    if (close(file) < 0 && !error)
        error = errno;
    return error ? refuse(why, error, "%s: %s", output->path, strerror(error)) : 0;
}
