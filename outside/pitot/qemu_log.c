/* SPDX-License-Identifier: BSD-2-Clause */
/* See qemu.h. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "outside/pitot/qemu.h"

#define VERSION(major, minor) ((major)*100 + (minor))
#define REGISTERS_FROM        VERSION(9, 2) /* from here on the plugin needs no log */
#define THREADS_FROM          VERSION(7, 1) /* -d tid */

static unsigned number_of(const struct qemu_version *version)
{
    return VERSION(version->major, version->minor);
}

bool qemu_log_is_needed(const struct qemu_version *version)
{
    return number_of(version) < REGISTERS_FROM;
}

/* True if the comma-separated list has this item. */
static bool has_item(const char *list, const char *item)
{
    size_t length = strlen(item);

    for (const char *at = list; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, item, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return true;
    }
    return false;
}

/* The places of the values of -d and -D; NULL: not given. The last ones count. */
static void find_options(char *const *command, const char **items, const char **file)
{
    *items = *file = NULL;
    for (char *const *word = command; *word && word[1]; word++)
        if (qemu_is_option(*word, "d"))
            *items = *++word;
        else if (qemu_is_option(*word, "D"))
            *file = *++word;
}

static void remove_options(char **command)
{
    char **to = command;

    for (char **word = command; *word; word++)
        if (word[1] && (qemu_is_option(*word, "d") || qemu_is_option(*word, "D")))
            word++;
        else
            *to++ = *word;
    *to = NULL;
}

/* The option after which QEMU cannot write into the folder that pitot makes; NULL: none. */
static const char *find_confined(char *const *command)
{
    for (char *const *word = command; *word && word[1]; word++)
        if (qemu_is_option(*word, "chroot") || qemu_is_option(*word, "runas") ||
            (qemu_is_option(*word, "run-with") &&
             (strstr(word[1], "chroot=") || strstr(word[1], "user="))))
            return *word;
    return NULL;
}

int qemu_log_check(struct qemu_log *log, const struct qemu_version *version, char *const *command,
                   struct refusal *why)
{
    const char *items, *file, *confined = find_confined(command);

    *log = (struct qemu_log){.copy = -1};
    find_options(command, &items, &file);
    if (number_of(version) < THREADS_FROM)
        return refuse(why, EINVAL,
                      "QEMU %u.%u: interrupts, returns and call chains need 7.1 or later",
                      version->major, version->minor);
    if (confined)
        return refuse(why, EINVAL,
                      "%s: QEMU %u.%u could not write its log, which is read for interrupts; leave "
                      "it out",
                      confined, version->major, version->minor);
    if (items && has_item(items, "tid"))
        return refuse(why, EINVAL, "-d %s: leave tid out; QEMU's log is read for interrupts",
                      items);
    if (snprintf(log->items, sizeof(log->items), "int,tid,plugin%s%s", items ? "," : "",
                 items ? items : "") >= (int)sizeof(log->items))
        return refuse(why, EINVAL, "-d %s: too long", items);
    log->copies_all = items && has_item(items, "int");
    if (items)
        log->copy =
            file ? open(file, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0666) : dup(STDERR_FILENO);
    if (items && log->copy < 0)
        return refuse(why, errno, "-D %s: %s", file ? file : "", strerror(errno));
    return 0;
}

/* In memory if possible: it is written and read at each interrupt. */
static int make_folder(struct qemu_log *log, struct refusal *why)
{
    static const char *const places[] = {"/dev/shm", "/tmp"};

    for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
        snprintf(log->folder, sizeof(log->folder), "%s/pitot-log-XXXXXX", places[i]);
        if (mkdtemp(log->folder))
            return 0;
    }
    return refuse(why, errno, "a folder for QEMU's log, %s: %s", log->folder, strerror(errno));
}

int qemu_log_prepare(struct qemu_log *log, char **command, struct refusal *why)
{
    int error = make_folder(log, why);

    if (error)
        return error;
    remove_options(command);
    snprintf(log->files, sizeof(log->files), "%s/%%d", log->folder);
    return 0;
}

static void copy_file(const char *path, int to)
{
    int from = open(path, O_RDONLY | O_CLOEXEC);

    while (from >= 0 && to >= 0 && sendfile(to, from, NULL, 1 << 20) > 0)
        ;
    if (from >= 0)
        close(from);
}

/* The plugin has removed the files of the CPUs' threads. */
void qemu_log_finish(const struct qemu_log *log)
{
    DIR *folder = opendir(log->folder);
    const struct dirent *entry;

    while (folder && (entry = readdir(folder)) != NULL) {
        char path[sizeof(log->folder) + sizeof(entry->d_name) + 1];

        snprintf(path, sizeof(path), "%s/%s", log->folder, entry->d_name);
        if (*entry->d_name == '.')
            continue;
        copy_file(path, log->copy);
        unlink(path);
    }
    if (folder)
        closedir(folder);
    rmdir(log->folder);
    if (log->copy >= 0)
        close(log->copy);
}
