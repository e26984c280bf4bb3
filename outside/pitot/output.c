/* SPDX-License-Identifier: BSD-2-Clause */
/* See output.h. */
#define _GNU_SOURCE
#include "outside/pitot/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/lib/assert.h"

#define MODE 0666 /* less the umask */

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
