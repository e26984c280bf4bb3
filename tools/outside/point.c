/* SPDX-License-Identifier: BSD-2-Clause */
/* See point.h. Called by tools/outside/main.c. */
#include "tools/outside/point.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/outside/complain.h"

static bool parse_number(const char *words, uint64_t *number)
{
    char *end;

    errno = 0;
    *number = strtoull(words, &end, 0);
    return *words >= '0' && *words <= '9' && *end == '\0' && errno == 0;
}

bool point_parse_place(const char *words, const struct kernel *kernel, uint64_t *address,
                       uint64_t *size)
{
    char name[SPELLING_MAX];
    const char *plus = strchr(words, '+');
    uint64_t offset = 0;

    *size = 0;
    if (parse_number(words, address))
        return true;
    memset(name, 0, sizeof(name));
    memcpy(name, words, plus ? (size_t)(plus - words) : strlen(words)); /* words fits, too */
    if (plus && !parse_number(plus + 1, &offset))
        return complain("\"%s\": an offset is a number, 8 or 0x10", words);
    if (!kernel_find(kernel, name, address, size))
        return false;
    if (offset && offset >= *size)
        return complain("\"%s\": %s has %llu bytes", words, name, (unsigned long long)*size);
    *address += offset;
    *size -= offset;
    return true;
}

static bool parse_access(struct point *point, const char *access)
{
    static const struct {
        const char *name;
        unsigned kind;
    } known[] = {{"w", POINT_WRITE}, {"rw", POINT_ACCESS}, {"x", POINT_EXECUTE}};

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strcmp(access, known[i].name) == 0) {
            point->kind = known[i].kind;
            return true;
        }
    return complain("\"%s\": the access \"%s\" is none of w, rw, x", point->name, access);
}

bool point_parse(struct point *point, const char *spelling, const struct kernel *kernel)
{
    char words[SPELLING_MAX];
    uint64_t size;

    *point = (struct point){.kind = POINT_ACCESS};
    if (strlen(spelling) >= sizeof(words))
        return complain("\"%.20s...\": an event has at most %zu characters", spelling,
                        sizeof(words) - 1);
    strcpy(point->name, spelling);
    if (strncmp(spelling, "mem:", 4) != 0)
        return complain("\"%s\": from outside, mem:ADDR[/LEN][:w|rw|x] can be watched", spelling);
    strcpy(words, spelling + 4);
    char *access = strchr(words, ':'), *length = strchr(words, '/');
    if (access)
        *access++ = '\0';
    if (length)
        *length++ = '\0';
    if (access && !parse_access(point, access))
        return false;
    if (!point_parse_place(words, kernel, &point->address, &size))
        return false;
    if (point->kind == POINT_EXECUTE)
        size = 1;
    point->length = size ? size : 4;
    if (length && !parse_number(length, &point->length))
        return complain("\"%s\": the length \"%s\" is no number", spelling, length);
    if (point->length == 0 || point->length > LENGTH_MOST ||
        (point->kind == POINT_EXECUTE && point->length != 1))
        return complain("\"%s\": %llu bytes; 1 to %u can be watched, of code 1", spelling,
                        (unsigned long long)point->length, LENGTH_MOST);
    return true;
}
