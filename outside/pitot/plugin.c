/* SPDX-License-Identifier: BSD-2-Clause */
/* See plugin.h. */
#define _GNU_SOURCE
#include "outside/pitot/plugin.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define VERSION(major, minor) ((major)*100 + (minor))

/*
 * One plugin for each version of QEMU's interface, and the QEMU versions it was tested with; 0:
 * none.
 */
static const struct {
    const char *name;
    unsigned first, last;
} plugins[] = {
    {"plugin-v1.so", VERSION(6, 0), VERSION(8, 1)},
    {"plugin-v2.so", 0, 0},
    {"plugin-v3.so", 0, 0},
    {"plugin-v4.so", VERSION(9, 2), VERSION(10, 1)},
    {"plugin-v5.so", 0, 0},
    {"plugin-v6.so", 0, 0},
    {"plugin-v7.so", VERSION(11, 1), VERSION(11, 1)},
};

#define READS_FROM 3 /* plugin-v4.so */
#define PLUGINS    (sizeof(plugins) / sizeof(*plugins))

static const char *const folders[] = {"", "../lib/pitot/"};

/*
 * Returns 1 if the file exists (its path in `path`), 0 if not, or a negative errno if it is
 * unreadable.
 */
static int find_file(const char *home, const char *name, char path[PATH_MAX])
{
    for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
        int length = snprintf(path, PATH_MAX, "%s/%s%s", home, folders[i], name);
        if (length < PATH_MAX && access(path, R_OK) == 0)
            return 1;
        if (length < PATH_MAX && errno != ENOENT && errno != ENOTDIR)
            return -errno;
    }
    return 0;
}

/* Returns the folder of this executable, or NULL and the reason. */
static const char *own_folder(char path[PATH_MAX], struct refusal *why)
{
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);

    if (length < 0) {
        refuse(why, errno, "/proc/self/exe: %s", strerror(errno));
        return NULL;
    }
    path[length] = '\0';
    *strrchr(path, '/') = '\0';
    return path;
}

/*
 * Refuses a plugin of another version, before it is given arguments that it may not know. The
 * version stands in its file: nothing of a plugin can run outside QEMU.
 */
static int check_version(const char *path, struct refusal *why)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    const char *mark;
    char *bytes;
    unsigned version = 0;

    if (file < 0 || fstat(file, &status) < 0)
        return refuse(why, errno, "%s: %s", path, strerror(errno));
    bytes =
        status.st_size ? mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0) : NULL;
    close(file);
    if (bytes == MAP_FAILED)
        return refuse(why, errno, "%s: %s", path, strerror(errno));
    mark = bytes ? memmem(bytes, (size_t)status.st_size, WIRE_MARK, strlen(WIRE_MARK)) : NULL;
    if (mark)
        version = (unsigned)strtoul(mark + strlen(WIRE_MARK), NULL, 10);
    if (bytes)
        munmap(bytes, (size_t)status.st_size);
    if (version == WIRE_VERSION)
        return 0;
    return version ? refuse(why, EINVAL,
                            "%s is of version %u, and pitot of %d: rebuild both by make outside",
                            path, version, WIRE_VERSION)
                   : refuse(why, EINVAL,
                            "%s is of an older version, and pitot of %d: rebuild both by make "
                            "outside",
                            path, WIRE_VERSION);
}

int plugin_find(struct plugin *plugin, char *program, const struct qemu_version *version,
                struct refusal *why)
{
    unsigned number = VERSION(version->major, version->minor);
    size_t tried = 0; /* index of the plugin tested with this version; PLUGINS: none */
    char path[PATH_MAX];
    const char *home = own_folder(path, why);
    bool any = false;

    if (!home)
        return -ENOENT;
    while (tried < PLUGINS && (number < plugins[tried].first || number > plugins[tried].last))
        tried++;
    plugin->tried = tried < PLUGINS;
    for (size_t i = PLUGINS; i-- > 0;) {
        int found =
            plugin->tried && i != tried ? 0 : find_file(home, plugins[i].name, plugin->file);

        if (found < 0)
            return refuse(why, -found, "%s: %s", plugin->file, strerror(-found));
        any |= found > 0;
        plugin->reads = i >= READS_FROM;
        if (found > 0 && (plugin->tried || qemu_loads(program, plugin->file)))
            return check_version(plugin->file, why);
    }
    return any ? refuse(why, EINVAL,
                        "QEMU %u.%u loads no plugin of %s: its interface for them is another",
                        version->major, version->minor, home)
               : refuse(why, ENOENT,
                        "no plugin for QEMU %u.%u in %s or its ../lib/pitot; make outside",
                        version->major, version->minor, home);
}

/*
 * Writes the functions of a call event to an anonymous file, which exists until the last process
 * that has it open exits. Returns its descriptor, or a negative errno and the reason.
 */
static int write_list(const struct event *event, struct refusal *why)
{
    int descriptor = memfd_create("pitot-calls", 0);
    FILE *list = descriptor < 0 ? NULL : fdopen(dup(descriptor), "w");

    for (size_t i = 0; list && i < event->entry_count; i++)
        fprintf(list, "%" PRIx64 "\n", event->entries[i]);
    if (!list || fclose(list) != 0)
        return refuse(why, errno, "%s: its list of functions: %s", event->name, strerror(errno));
    return descriptor;
}

/* In QEMU's options a comma within a value is doubled. */
static void write_value(FILE *text, const char *value)
{
    for (; *value; value++) {
        fputc(*value, text);
        if (*value == ',')
            fputc(',', text);
    }
}

static int write_event(FILE *text, const struct event *event, uint64_t period, struct refusal *why)
{
    int list;

    fputs(event->stops ? ",stop=" : ",event=", text);
    switch (event->kind) {
    case EVENT_INSTRUCTIONS:
        fprintf(text, "insn:%" PRIu64, period);
        return 0;
    case EVENT_MEMORY:
        fprintf(text, "%s:%" PRIx64 ":%" PRIu64 ":%s:%" PRIu64, event->fixed ? "at" : "mem",
                event->address, event->length, event->access, period);
        return 0;
    case EVENT_CALLS:
    case EVENT_RETURNS:
        list = write_list(event, why);
        fprintf(text, "%s:/proc/self/fd/%d:%" PRIu64,
                event->kind == EVENT_CALLS ? "call" : "return", list, period);
        return list < 0 ? list : 0;
    case EVENT_INTERRUPTS:
        fprintf(text, "irq:%u-%u:%" PRIu64, event->vector_first, event->vector_last, period);
        return 0;
    case EVENT_HEAP: /* only of files */
        return 0;
    }
    return 0;
}

static void write_window(FILE *text, const struct watch *watch)
{
    if (watch->events->from)
        fprintf(text, ",from=%" PRIx64, watch->events->from);
    if (watch->events->until)
        fprintf(text, ",until=%" PRIx64, watch->events->until);
    if (watch->most)
        fprintf(text, ",max=%" PRIu64, watch->most);
}

/* The kernel's file stays open, because QEMU inherits its descriptor. */
static int write_code(FILE *text, const struct kernel *kernel, struct refusal *why)
{
    int file = kernel->made >= 0 ? kernel->made : open(kernel->path, O_RDONLY);

    if (file < 0)
        return refuse(why, errno, "%s: %s", kernel->path, strerror(errno));
    for (size_t i = 0; i < kernel->segment_count; i++) {
        const struct segment *segment = &kernel->code[i];

        if (kernel_is_text(kernel, segment) && segment->filled > 0)
            fprintf(text, ",code=%d:%" PRIx64 ":%" PRIx64 ":%" PRIx64, file, segment->address,
                    segment->offset, segment->filled);
    }
    return 0;
}

char *plugin_argument(const struct plugin *plugin, const struct watch *watch, int out,
                      const struct qemu_log *log, struct refusal *why)
{
    struct segment text = kernel_text(watch->kernel);
    char *argument = NULL;
    size_t size;
    FILE *stream = open_memstream(&argument, &size);
    int error = 0;

    if (!stream) {
        refuse(why, errno, "%s", strerror(errno));
        return NULL;
    }
    fputs("file=", stream); /* without this, QEMU would take a path with = for an option */
    write_value(stream, plugin->file);
    fprintf(stream, ",out=%d,text=%" PRIx64 ":%" PRIx64, out, text.address,
            text.address + text.size - 1);
    error = write_code(stream, watch->kernel, why);
    fprintf(stream, "%s%s%s", watch->chains ? "" : ",chains=0",
            watch->registers ? ",registers=1" : "", watch->wanted ? watch->wanted : "");
    for (unsigned i = 0; i < watch->events->count && !error; i++) {
        const struct event *event = &watch->events->event[i];
        error = write_event(stream, event, watch->sampled ? event->period : 0, why);
    }
    write_window(stream, watch);
    if (*log->folder)
        fprintf(stream, ",log=%s:%d:%d", log->folder, log->copy, log->copies_all);
    if (fclose(stream) != 0 || error) {
        free(argument);
        return NULL;
    }
    return argument;
}
