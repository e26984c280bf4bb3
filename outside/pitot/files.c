/* SPDX-License-Identifier: BSD-2-Clause */
/* See files.h. */
#define _GNU_SOURCE
#include "outside/pitot/files.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/lib/assert.h"

#define MODE     0666 /* less the umask */
#define PATIENCE 10   /* seconds, for the first bytes of a pipe */

/* --- Output --- */

static int refuse_path(const char *path, struct refusal *why)
{
    return refuse(why, errno, "%s: %s", path, strerror(errno));
}

bool output_keeps(const char *path)
{
    struct stat status;

    return stat(path, &status) < 0 || S_ISREG(status.st_mode);
}

int output_open(struct output *output, const char *path, struct refusal *why)
{
    struct stat status;
    bool replaces = lstat(path, &status) < 0 || S_ISREG(status.st_mode);
    const char *name = path;
    int file;

    *output = (struct output){.path = path};
    if (replaces) {
        if (asprintf(&output->part, "%s" OUTPUT_PART, path) < 0)
            return refuse(why, ENOMEM, "out of memory");
        name = output->part;
    }
    file = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, MODE);
    return file < 0 ? refuse_path(path, why) : file;
}

int output_open_new(struct output *output, char *path, const char *suffix, struct refusal *why)
{
    int file = mkostemps(path, (int)strlen(suffix), O_CLOEXEC);
    mode_t mask = umask(0);

    umask(mask);
    *output = (struct output){.path = path};
    if (file < 0)
        return refuse_path(path, why);
    output->part = strdup(path);
    if (!output->part || fchmod(file, MODE & ~mask) < 0) {
        int error = refuse_path(path, why);

        unlink(path);
        close(file);
        return error;
    }
    return file;
}

static void forget(struct output *output)
{
    free(output->part);
    output->part = NULL;
}

int output_keep(struct output *output, struct refusal *why)
{
    assert(output->path || !output->part);
    if (!output->part)
        return 0;
    if (rename(output->part, output->path) < 0)
        return refuse_path(output->path, why);
    forget(output);
    return 0;
}

void output_drop(struct output *output)
{
    if (output->part)
        unlink(output->part);
    forget(output);
}

/* --- Input --- */

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
