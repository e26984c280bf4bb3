/* SPDX-License-Identifier: BSD-2-Clause */
/* See build_name.h. */
#include "outside/pitot/build_name.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* FNV-1a. What comes from a pipe is gone. */
static int name_file(const char *path, char name[BUILD_NAME_ROOM], struct refusal *why)
{
    uint64_t sum = 0xcbf29ce484222325u;
    struct stat status;
    int byte, error = 0;
    FILE *file;

    *name = '\0';
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        return 0;
    file = fopen(path, "r");
    while (file && (byte = getc(file)) != EOF)
        sum = (sum ^ (uint8_t)byte) * 0x100000001b3u;
    if (!file || ferror(file))
        error = refuse(why, errno, "%s: %s", path, strerror(errno));
    if (file)
        fclose(file);
    snprintf(name, BUILD_NAME_ROOM, "file-%016" PRIx64, sum);
    return error;
}

int build_name(const struct kernel *kernel, char name[BUILD_NAME_ROOM], struct refusal *why)
{
    for (unsigned i = 0; i < kernel->build_id_size; i++)
        snprintf(name + (size_t)2 * i, 3, "%02x", kernel->build_id[i]);
    return kernel->build_id_size > 0 ? 0 : name_file(kernel->path, name, why);
}
