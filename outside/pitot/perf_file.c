/* SPDX-License-Identifier: BSD-2-Clause */
/* See perf_file.h. */
#include "outside/pitot/perf_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/lib/assert.h"
#include "outside/pitot/files.h"

#define STRING_ALIGN 64 /* as perf pads strings */

struct section {
    uint64_t offset, size;
};

struct header {
    uint64_t magic, size;
    uint64_t attribute_size; /* of an attribute including the section of its ids */
    struct section attributes, data, event_types;
    uint64_t features[4]; /* a bit per feature */
};

struct attribute {
    uint8_t attr[PERF_PIPE_ATTR_SIZE];
    struct section ids;
};

_Static_assert(sizeof(struct header) == 104, "perf tells a file from a pipe by this size");
_Static_assert(sizeof(struct attribute) == 144, "an attribute of 128 bytes, and 16");

static struct {
    int descriptor;
    bool streams;
    struct output output;
    struct header header;
    char *bytes; /* records not yet in the file */
    size_t used, room;
    int error; /* the first write error */
    struct {
        char *bytes;
        size_t size;
    } features[PERF_FILE_FEATURES];
} file;

static _Noreturn void end_without_memory(void)
{
    fprintf(stderr, "pitot: out of memory\n");
    exit(1);
}

static int refuse_write(struct refusal *why)
{
    return refuse(why, file.error, "%s: %s", file.output.path, strerror(file.error));
}

/* Returns the number of bytes written. For a stream, ignores the offset and appends. */
static size_t write_at(uint64_t offset, const void *bytes, size_t size)
{
    size_t done = 0;

    while (done < size) {
        const char *at = (const char *)bytes + done;
        ssize_t count = file.streams
                            ? write(file.descriptor, at, size - done)
                            : pwrite(file.descriptor, at, size - done, (off_t)(offset + done));
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0) {
            file.error = count < 0 ? errno : ENOSPC;
            break;
        }
        done += (size_t)count;
    }
    return done;
}

void perf_file_attributes(const struct perf_event_attr *attributes, unsigned count)
{
    uint64_t ids_at = sizeof(struct header), at = ids_at + count * sizeof(uint64_t);

    if (file.streams)
        return;
    file.header.attributes = (struct section){at, count * sizeof(struct attribute)};
    for (unsigned i = 0; i < count; i++) {
        uint64_t id = i + 1, id_at = ids_at + i * sizeof(id);
        struct attribute attribute = {.ids = {id_at, sizeof(id)}};

        memcpy(attribute.attr, &attributes[i], sizeof(attribute.attr));
        write_at(id_at, &id, sizeof(id));
        write_at(at, &attribute, sizeof(attribute));
        at += sizeof(attribute);
    }
    file.header.data.offset = at;
}

static void stream_attributes(const struct perf_event_attr *attributes, unsigned count)
{
    struct perf_pipe_header header = {PERF_PIPE_MAGIC, sizeof(header)};

    write_at(0, &header, sizeof(header));
    for (unsigned i = 0; i < count; i++) {
        struct perf_pipe_attr *record = perf_file_record(PERF_PIPE_ATTR, 0, sizeof(*record));

        memcpy(record->attr, &attributes[i], sizeof(record->attr));
        record->id = i + 1;
    }
}

static int stream_begin(const struct perf_event_attr *attributes, unsigned count,
                        struct refusal *why)
{
    if (isatty(STDOUT_FILENO))
        return refuse(why, EINVAL,
                      "-o -: standard output is a terminal; | perf report -i - reads the stream");
    file.descriptor = dup(STDOUT_FILENO);
    fcntl(file.descriptor, F_SETFD, FD_CLOEXEC);
    file.streams = true;
    stream_attributes(attributes, count);
    return file.error ? refuse_write(why) : 0;
}

int perf_file_create(const char *path, const struct perf_event_attr *attributes, unsigned count,
                     struct refusal *why)
{
    perf_file_string(PERF_FILE_VERSION, "pitot " VERSION_TEXT);
    file.output.path = path;
    file.header = (struct header){.magic = PERF_PIPE_MAGIC,
                                  .size = sizeof(struct header),
                                  .attribute_size = sizeof(struct attribute)};
    if (strcmp(path, "-") == 0)
        return stream_begin(attributes, count, why);
    file.descriptor = output_open(&file.output, path, why);
    if (file.descriptor < 0)
        return file.descriptor;
    perf_file_attributes(attributes, count);
    write_at(0, &file.header, sizeof(file.header));
    if (file.error)
        output_drop(&file.output);
    return file.error ? refuse_write(why) : 0;
}

static size_t padded(size_t size)
{
    return (size + 7) & ~(size_t)7;
}

void *perf_file_record(uint32_t type, uint16_t misc, size_t size)
{
    struct perf_event_header *header;

    size = padded(size);
    assert(size >= sizeof(*header) && size <= UINT16_MAX);
    if (size > file.room - file.used) {
        file.room = 2 * file.room + size;
        file.bytes = realloc(file.bytes, file.room);
        if (!file.bytes)
            end_without_memory();
    }
    header = memset(file.bytes + file.used, 0, size);
    *header = (struct perf_event_header){type, misc, (uint16_t)size};
    file.used += size;
    return header;
}

/* Returns the size of the complete records within the first `size` bytes. */
static size_t whole_records(size_t size)
{
    const struct perf_event_header *record;
    size_t end = 0;

    while (end < size) {
        record = (const void *)(file.bytes + end);
        assert(record->size >= sizeof(*record));
        if (record->size > size - end)
            break;
        end += record->size;
    }
    return end;
}

/*
 * The header, with the size of the data, is written after the records, so the size covers only
 * records that are in the file.
 */
int perf_file_flush(struct refusal *why)
{
    uint64_t at = file.header.data.offset + file.header.data.size;

    if (file.used > 0 && !file.error)
        file.header.data.size += whole_records(write_at(at, file.bytes, file.used));
    if (!file.streams)
        write_at(0, &file.header, sizeof(file.header));
    file.used = 0;
    return file.error ? refuse_write(why) : 0;
}

int perf_file_keep(struct refusal *why)
{
    return output_keep(&file.output, why);
}

void perf_file_feature(enum perf_file_feature feature, const void *bytes, size_t size)
{
    size_t before = file.features[feature].size;
    char *content = realloc(file.features[feature].bytes, before + size);

    assert(feature < PERF_FILE_FEATURES);
    if (!content)
        end_without_memory();
    memcpy(content + before, bytes, size);
    file.features[feature].bytes = content;
    file.features[feature].size = before + size;
}

void perf_file_string(enum perf_file_feature feature, const char *text)
{
    static const char padding[STRING_ALIGN];
    size_t length = strlen(text);
    uint32_t room = (uint32_t)((length + STRING_ALIGN) & ~(size_t)(STRING_ALIGN - 1));

    perf_file_feature(feature, &room, sizeof(room));
    perf_file_feature(feature, text, length);
    perf_file_feature(feature, padding, room - length);
}

static void write_features(void)
{
    uint64_t places = file.header.data.offset + file.header.data.size, at = places;

    assert(!file.streams && file.header.data.offset > 0);
    for (int i = 0; i < PERF_FILE_FEATURES; i++)
        at += file.features[i].size ? sizeof(struct section) : 0;
    for (int i = 0; i < PERF_FILE_FEATURES; i++) {
        struct section section = {at, file.features[i].size};
        if (section.size == 0)
            continue;
        write_at(places, &section, sizeof(section));
        write_at(at, file.features[i].bytes, section.size);
        places += sizeof(section);
        at += section.size;
        file.header.features[0] |= UINT64_C(1) << i;
    }
    if (!file.error)
        write_at(0, &file.header, sizeof(file.header));
}

/* perf reads descriptions of events only from a file's header, so a stream has none. */
static void stream_features(void)
{
    for (int i = 0; i < PERF_FILE_FEATURES; i++) {
        uint64_t number = (uint64_t)i;
        size_t content = file.features[i].size, head = sizeof(struct perf_event_header);
        size_t size = padded(head + sizeof(number) + content);
        char *record;

        if (content == 0 || i == PERF_FILE_EVENT_DESC || size > UINT16_MAX)
            continue;
        record = perf_file_record(PERF_PIPE_FEATURE, 0, size);
        memcpy(record + head, &number, sizeof(number));
        memcpy(record + head + sizeof(number), file.features[i].bytes, content);
    }
}

int perf_file_close(struct refusal *why)
{
    if (file.streams)
        stream_features();
    if (perf_file_flush(why) == 0 && !file.streams)
        write_features();
    if (close(file.descriptor) < 0 && !file.error)
        file.error = errno;
    output_drop(&file.output);
    return file.error ? refuse_write(why) : 0;
}
