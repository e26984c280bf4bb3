/* SPDX-License-Identifier: BSD-2-Clause */
/* See source_path.h. */
#include "outside/pitot/source_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Searches the folder, a string of `length` bytes, and its parents. */
static bool find_above(const char *folder, size_t length, const char *path, char found[PATH_MAX])
{
    char whole[2 * PATH_MAX];

    for (;; length--) {
        snprintf(whole, sizeof(whole), "%.*s/%s", (int)length, folder, path);
        if (realpath(whole, found))
            return true;
        while (length > 0 && folder[length - 1] != '/')
            length--;
        if (length == 0)
            return false;
    }
}

bool source_path_find(const char *compiled, const char *kernel, char found[PATH_MAX])
{
    const char *twice = strstr(compiled, "//");
    char current[PATH_MAX];

    if (*compiled == '/' && realpath(compiled, found))
        return true;
    if (*compiled == '/')
        return twice && find_above(compiled, (size_t)(twice - compiled), twice + 2, found);
    return (getcwd(current, sizeof(current)) &&
            find_above(current, strlen(current), compiled, found)) ||
           find_above(kernel, (size_t)(strrchr(kernel, '/') - kernel), compiled, found);
}
