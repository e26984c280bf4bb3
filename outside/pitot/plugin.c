/* SPDX-License-Identifier: BSD-2-Clause */
/* See plugin.h. */
#define _GNU_SOURCE
#include "outside/pitot/plugin.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "core/lib/assert.h"
#include "outside/pitot/array.h"

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

/* The first that has the right: plugin-v4.so, and so on. */
static const size_t rights[WATCH_RIGHTS] = {
    [WATCH_READS] = 3, [WATCH_WRITES] = 4, [WATCH_SKIPS] = 5};

#define NUMBER_AT strlen("plugin-v")
#define PLUGINS   (sizeof(plugins) / sizeof(*plugins))

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

int plugin_list(struct refusal *why)
{
    char path[PATH_MAX], file[PATH_MAX];
    const char *home = own_folder(path, why), *before = "QEMU's plugin interfaces: ";

    for (size_t i = 0; home && i < PLUGINS; i++) {
        unsigned first = plugins[i].first, last = plugins[i].last;

        if (find_file(home, plugins[i].name, file) <= 0)
            continue;
        printf("%s%.*s", before, (int)strcspn(plugins[i].name + NUMBER_AT, "."),
               plugins[i].name + NUMBER_AT);
        if (first)
            printf(" (QEMU %u.%u", first / 100, first % 100);
        if (first && last > first)
            printf(" to %u.%u", last / 100, last % 100);
        printf("%s", first ? ")" : "");
        before = ", ";
    }
    if (!home || *before != ',')
        return home ? refuse(why, ENOENT, "no plugin in %s or its ../lib/pitot; make outside", home)
                    : -ENOENT;
    printf("\n");
    return 0;
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
        for (unsigned right = 0; right < WATCH_RIGHTS; right++)
            plugin->rights[right] = i >= rights[right];
        if (found > 0 && (plugin->tried || qemu_loads(program, plugin->file)))
            return check_version(plugin->file, why);
    }
    return any ? refuse(why, EINVAL,
                        "QEMU %u.%u loads no plugin of %s: its plugin interface differs",
                        version->major, version->minor, home)
               : refuse(why, ENOENT,
                        "no plugin for QEMU %u.%u in %s or its ../lib/pitot; make outside",
                        version->major, version->minor, home);
}

/* --- The request --- */

int plugin_add_addresses(struct watch *watch, struct request_list *list, const uint64_t *addresses,
                         size_t count, struct refusal *why)
{
    uint32_t *used = &watch->request.address_count;
    int error = array_grow(&watch->addresses, &watch->address_room, *used + count,
                           sizeof(*addresses), "addresses", why);

    if (error || count == 0)
        return error;
    if (list->count == 0)
        list->first = *used;
    assert(list->first + list->count == *used);
    memcpy(watch->addresses + *used, addresses, count * sizeof(*addresses));
    list->count += (uint32_t)count;
    *used += (uint32_t)count;
    return 0;
}

int plugin_add_range(struct watch *watch, struct request_list *list, uint64_t first, uint64_t end,
                     struct refusal *why)
{
    uint64_t before = list->count ? watch->addresses[list->first + list->count - 1] : 0;
    const uint64_t range[] = {first > before ? first : before, end};

    return range[0] < end ? plugin_add_addresses(watch, list, range, 2, why) : 0;
}

/* In a trace, instructions are counted alone: its clock must not be changed by samples of them. */
static bool is_sampled(const struct watch *watch, const struct event *event)
{
    return watch->sampled && !(watch->request.trace.slices && event->kind == EVENT_INSTRUCTIONS);
}

static int ask_event(struct watch *watch, const struct event *event, struct request_event *asked,
                     struct refusal *why)
{
    *asked = (struct request_event){.kind = event->kind,
                                    .stops = event->stops,
                                    .period = is_sampled(watch, event) ? event->period : 0,
                                    .address = event->address,
                                    .length = event->length,
                                    .access = event->access,
                                    .fixed = event->fixed,
                                    .vector_first = event->vector_first,
                                    .vector_last = event->vector_last};
    return plugin_add_addresses(watch, &asked->functions, event->entries, event->entry_count, why);
}

static int ask_events(struct watch *watch, struct refusal *why)
{
    const struct events *events = watch->events;
    struct request *request = &watch->request;
    int error = 0;

    request->from = events->from;
    request->until = events->until;
    request->event_count = events->count;
    for (unsigned i = 0; i < events->count && !error; i++)
        error = ask_event(watch, &events->event[i], &request->events[i], why);
    return error;
}

/* The kernel's file stays open, because QEMU inherits its descriptor. */
static int ask_code(struct request *request, const struct kernel *kernel, struct refusal *why)
{
    struct segment text = kernel_text(kernel);

    request->text_first = text.address;
    request->text_last = text.address + text.size - 1;
    request->code_file = kernel->made >= 0 ? kernel->made : open(kernel->path, O_RDONLY);
    if (request->code_file < 0)
        return refuse(why, errno, "%s: %s", kernel->path, strerror(errno));
    for (size_t i = 0; i < kernel->segment_count; i++) {
        const struct segment *segment = &kernel->code[i];

        if (kernel_is_text(kernel, segment) && segment->filled > 0)
            request->code[request->code_count++] =
                (struct request_code){segment->address, segment->offset, segment->filled};
    }
    return 0;
}

static void ask_log(struct request *request, const struct qemu_log *log)
{
    memcpy(request->log.folder, log->folder, sizeof(log->folder));
    request->log.copy = log->copy;
    request->log.copies_all = log->copies_all;
}

/* Returns the descriptor of an anonymous file, which exists until the last process closes it. */
static int write_request(struct watch *watch, struct refusal *why)
{
    struct iovec parts[] = {
        {&watch->request, sizeof(watch->request)},
        {watch->addresses, watch->request.address_count * sizeof(*watch->addresses)}};
    int descriptor = memfd_create("pitot-request", 0);

    if (descriptor < 0 || pwritev(descriptor, parts, 2, 0) != (ssize_t)watch->request.size)
        return refuse(why, errno, "the request to the plugin: %s", strerror(errno));
    return descriptor;
}

/* Completes the request, and writes it. */
static int ask(struct watch *watch, int out, const struct qemu_log *log, struct refusal *why)
{
    struct request *request = &watch->request;
    int error;

    request->out = out;
    ask_log(request, log);
    error = ask_code(request, watch->kernel, why);
    if (!error)
        error = ask_events(watch, why);
    if (error)
        return error;
    memcpy(request->magic, REQUEST_MAGIC, sizeof(request->magic));
    request->version = WIRE_VERSION;
    request->size =
        (uint32_t)(sizeof(*request) + request->address_count * sizeof(*watch->addresses));
    return write_request(watch, why);
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

char *plugin_argument(const struct plugin *plugin, struct watch *watch, int out,
                      const struct qemu_log *log, struct refusal *why)
{
    int request = ask(watch, out, log, why);
    char *argument = NULL;
    size_t size;
    FILE *stream = request < 0 ? NULL : open_memstream(&argument, &size);

    if (!stream) {
        if (request >= 0)
            refuse(why, errno, "%s", strerror(errno));
        return NULL;
    }
    fputs("file=", stream); /* without this, QEMU would take a path with = for an option */
    write_value(stream, plugin->file);
    fprintf(stream, ",request=%d", request);
    return fclose(stream) == 0 ? argument : NULL;
}
