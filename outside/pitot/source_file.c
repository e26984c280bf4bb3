/* SPDX-License-Identifier: BSD-2-Clause */
/* See source_lines.h. */
#define _GNU_SOURCE
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "outside/pitot/plain.h"
#include "outside/pitot/source_lines.h"

#define CURRENT 0
#define KERNELS 1
#define TREES   2

const char source_file_outside[] = "";

/* The first `root` bytes of `folder` are the folder below which files are taken. */
static struct tree {
    char folder[PATH_MAX];
    size_t root;
} trees[TREES];

static void *files, *outside; /* paths, for tsearch */
static size_t outside_count;

/* --- Trees --- */

/* The length of the folder's parent; 0: the root of all. */
static size_t parent_of(const char *folder, size_t length)
{
    while (length > 0 && folder[length - 1] != '/')
        length--;
    return length > 0 ? length - 1 : 0;
}

static void find_root(struct tree *tree)
{
    char git[PATH_MAX + 8];

    tree->root = strlen(tree->folder);
    for (size_t length = tree->root; length > 0; length = parent_of(tree->folder, length)) {
        snprintf(git, sizeof(git), "%.*s/.git", (int)length, tree->folder);
        if (access(git, F_OK) == 0) {
            tree->root = length;
            return;
        }
    }
}

static void find_trees(const struct kernel *kernel)
{
    if (trees[KERNELS].folder[0])
        return;
    strcpy(trees[KERNELS].folder, kernel->path);
    *strrchr(trees[KERNELS].folder, '/') = '\0';
    if (!getcwd(trees[CURRENT].folder, PATH_MAX))
        strcpy(trees[CURRENT].folder, trees[KERNELS].folder);
    for (size_t i = 0; i < TREES; i++)
        find_root(&trees[i]);
}

static bool is_inside(const char *path)
{
    for (size_t i = 0; i < TREES; i++)
        if (strncmp(path, trees[i].folder, trees[i].root) == 0 && path[trees[i].root] == '/')
            return true;
    return false;
}

/* --- Files --- */

/* Sets `found` if there is such a file. Returns true if it may be taken. */
static bool try(const char *path, char found[PATH_MAX], bool *exists)
{
    char real[PATH_MAX];

    if (!realpath(path, real))
        return false;
    *exists = true;
    strcpy(found, real);
    return is_inside(real);
}

/* Searches a tree from its folder up to its root. */
static bool find_above(const struct tree *tree, const char *path, char found[PATH_MAX],
                       bool *exists)
{
    char whole[2 * PATH_MAX];

    for (size_t length = strlen(tree->folder);; length = parent_of(tree->folder, length)) {
        snprintf(whole, sizeof(whole), "%.*s/%s", (int)length, tree->folder, path);
        if (try(whole, found, exists))
            return true;
        if (length <= tree->root)
            return false;
    }
}

/*
 * A relative path is tried in both trees. NASM writes FOLDER//PATH: FOLDER is where it was started,
 * so PATH is tried, too.
 */
static bool find_source(const char *compiled, char found[PATH_MAX], bool *exists)
{
    const char *twice = strstr(compiled, "//");

    if (*compiled == '/' && try(compiled, found, exists))
        return true;
    if (*compiled == '/' && !twice)
        return false;
    compiled = twice ? twice + 2 : compiled;
    for (size_t i = 0; i < TREES; i++)
        if (find_above(&trees[i], compiled, found, exists))
            return true;
    return false;
}

/* True if the path, of a file that is not there, leaves a folder: it may be there elsewhere. */
static bool leaves(const char *path)
{
    for (const char *at = path; (at = strstr(at, "..")) != NULL; at += 2)
        if ((at == path || at[-1] == '/') && (at[2] == '/' || at[2] == '\0'))
            return true;
    return false;
}

/* --- Each file once --- */

static int compare_text(const void *left, const void *right)
{
    return strcmp(left, right);
}

/* Returns the copy of the text that is kept; NULL: no memory. *added: there was none. */
static const char *keep(void **texts, const char *text, bool *added)
{
    char *plain = plain_text(text), **node = plain ? tsearch(plain, texts, compare_text) : NULL;

    *added = node && *node == plain;
    if (!*added)
        free(plain);
    return node ? *node : NULL;
}

static const char *look_up(const char *compiled)
{
    char found[PATH_MAX];
    bool exists = false, added;
    const char *file;

    if (find_source(compiled, found, &exists))
        return keep(&files, found, &added);
    if (!exists && !leaves(compiled))
        return keep(&files, compiled, &added);
    file = keep(&outside, exists ? found : compiled, &added);
    outside_count += added;
    return file ? source_file_outside : NULL;
}

const char *source_file(const struct kernel *kernel, const char *compiled)
{
    static const char *compiled_before, *file_before;

    if (compiled == compiled_before)
        return file_before;
    find_trees(kernel);
    compiled_before = compiled;
    return file_before = look_up(compiled);
}

size_t source_file_left_out(void)
{
    return outside_count;
}

char *source_file_left_out_text(void)
{
    char *text;

    if (outside_count == 0 ||
        asprintf(&text,
                 "%zu source file%s left out: neither below %.*s nor below %.*s; run pitot in the "
                 "folder of the sources",
                 outside_count, outside_count == 1 ? "" : "s", (int)trees[CURRENT].root,
                 trees[CURRENT].folder, (int)trees[KERNELS].root, trees[KERNELS].folder) < 0)
        return NULL;
    return text;
}

void source_file_tell(void)
{
    char *text = source_file_left_out_text();

    if (text)
        plain_tell("pitot: %s", text);
    free(text);
}
