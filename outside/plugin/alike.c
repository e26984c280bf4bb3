/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether code in memory is that of the kernel's file, apart from fields that the kernel's slide,
 * `by`, has changed. Called by code.c.
 */
#define _GNU_SOURCE
#include "outside/plugin/code.h"

#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define PAGE       4096
#define AROUND     0x8000 /* bytes before and after that are compared */
#define LEAST      64     /* least bytes that must be the same */
#define PART       8      /* one byte in so many may differ: variables, and patched code */
#define FIELD_MOST 8

/*
 * Returns the size of a field here that the slide has changed, or 0. `left` bytes of the
 * instruction remain.
 */
static size_t moved_field(const uint8_t *file, const uint8_t *run, size_t left, uint64_t by)
{
    uint64_t was_long, is_long;
    uint32_t was, is;

    if (left >= sizeof(is_long)) {
        memcpy(&was_long, file, sizeof(was_long));
        memcpy(&is_long, run, sizeof(is_long));
        if (is_long - was_long == by || was_long - is_long == by)
            return sizeof(is_long);
    }
    if (left < sizeof(is))
        return 0;
    memcpy(&was, file, sizeof(was));
    memcpy(&is, run, sizeof(is));
    return is - was == (uint32_t)by || was - is == (uint32_t)by ? sizeof(is) : 0;
}

/*
 * Returns the end of the field with the first difference after `done`, which is `at`, if the slide
 * has changed it, or 0. It may begin before, because a slide of whole pages keeps its low bytes.
 */
static size_t moved_end(const uint8_t *file, const uint8_t *run, size_t done, size_t at,
                        size_t size, uint64_t by)
{
    size_t from = at - done >= FIELD_MOST ? at - FIELD_MOST + 1 : done, field = 0;

    while (by && from <= at && !(field = moved_field(file + from, run + from, size - from, by)))
        from++;
    return field > 0 && from + field > at ? from + field : 0;
}

bool alike_instruction(const uint8_t *file, const uint8_t *run, size_t size, uint64_t by)
{
    for (size_t done = 0; done < size;) {
        size_t at = done;

        while (at < size && file[at] == run[at])
            at++;
        if (at == size)
            return true;
        done = moved_end(file, run, done, at, size, by);
        if (done == 0)
            return false;
    }
    return true;
}

struct bytes {
    size_t same, different;
};

/* What fills the space between functions is in all memory. */
static bool is_filler(uint8_t byte)
{
    return byte == 0 || byte == 0x90 || byte == 0xcc;
}

static void compare(const uint8_t *file, const uint8_t *run, size_t size, uint64_t by,
                    struct bytes *bytes)
{
    size_t done = 0, end;

    for (size_t at = 0; at < size; at++) {
        if (file[at] == run[at]) {
            bytes->same += !is_filler(file[at]);
        } else if ((end = moved_end(file, run, done, at, size, by)) > 0) {
            bytes->same += end - at;
            done = end;
            at = end - 1;
        } else {
            bytes->different++;
        }
    }
}

static bool read_memory(uintptr_t address, void *to, size_t size)
{
    struct iovec local = {to, size}, remote = {(void *)address, size};

    return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)size;
}

static bool is_alike(const struct bytes *bytes)
{
    return bytes->same >= LEAST && bytes->different <= bytes->same / PART;
}

/* By pages, as QEMU may have less memory than is compared. */
bool alike_around(const uint8_t *file, size_t size, size_t at, uintptr_t host, uint64_t by)
{
    size_t from = at > AROUND ? at - AROUND : 0;
    size_t end = size - at > AROUND ? at + AROUND : size;
    size_t most = (end - from) / PART;
    struct bytes bytes = {0};
    uint8_t page[PAGE];

    while (from < end && bytes.different <= most) {
        uintptr_t place = host - at + from;
        size_t count = PAGE - place % PAGE < end - from ? PAGE - place % PAGE : end - from;

        if (read_memory(place, page, count))
            compare(file + from, page, count, by, &bytes);
        else
            bytes.different += count;
        from += count;
    }
    return is_alike(&bytes);
}

bool alike_page(const uint8_t *file, size_t size, size_t at, uintptr_t host, uint64_t by)
{
    size_t before = host % PAGE < at ? host % PAGE : at;
    size_t after = PAGE - host % PAGE < size - at ? PAGE - host % PAGE : size - at;
    struct bytes bytes = {0};
    uint8_t page[PAGE];

    if (!read_memory(host - before, page, before + after))
        return true;
    compare(file + at - before, page, before + after, by, &bytes);
    return is_alike(&bytes);
}
