/* SPDX-License-Identifier: BSD-2-Clause */
/* See input.h. */
#include "outside/pitot/input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATIENCE 10 /* seconds */

static const char *kind_of(mode_t mode)
{
    return S_ISDIR(mode)    ? "directory"
           : S_ISFIFO(mode) ? "pipe"
           : S_ISSOCK(mode) ? "socket"
                            : "device";
}

/* To open a pipe without a writer must not wait. */
static int open_kind(const char *path, bool pipes, const char *instead, struct refusal *why)
{
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    struct stat status;

    if (file < 0 || fstat(file, &status) < 0)
        return refuse(why, errno, "%s: %s", path, strerror(errno));
    if (S_ISREG(status.st_mode) || (pipes && S_ISFIFO(status.st_mode)))
        return file;
    close(file);
    return refuse(why, EINVAL, "%s is a %s; %s", path, kind_of(status.st_mode), instead);
}

int input_open_file(const char *path, const char *instead, struct refusal *why)
{
    return open_kind(path, false, instead, why);
}

int input_open_text(const char *path, const char *instead, struct refusal *why)
{
    int file = open_kind(path, true, instead, why);
    struct pollfd wait = {.fd = file, .events = POLLIN};

    if (file < 0)
        return file;
    if (poll(&wait, 1, PATIENCE * 1000) <= 0) {
        close(file);
        return refuse(why, ETIMEDOUT, "%s: nothing came in %d seconds", path, PATIENCE);
    }
    fcntl(file, F_SETFL, O_RDONLY); /* from now on, reading waits */
    return file;
}
