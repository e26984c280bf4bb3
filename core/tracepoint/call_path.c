/* SPDX-License-Identifier: BSD-2-Clause */
/* The path that a system call is given, for raw_syscalls:sys_enter. In its hit, interrupts off. */
#include "core/host.h"
#include "core/lib/string.h"
#include "core/tracepoint/tracepoint.h"

PITOT_LAYOUT(sys_enter, 9, PITOT_CALL_BEGINS_FIELDS);

#define PATH_SIZE (2 * (TRACEPOINT_TEXT_SIZE - 1) + 1) /* split into two fields */

/* Returns the index of the first argument that is a path, or PITOT_CALL_ARGUMENTS. */
static unsigned path_argument(unsigned long number)
{
    const struct pitot_call *call = host.calls;
    unsigned i = 0;

    while (call && call->name && call->number != number)
        call++;
    if (!call || !call->name)
        return PITOT_CALL_ARGUMENTS;
    while (call->argument[i].name && call->argument[i].kind != PITOT_CALL_PATH)
        i++;
    return call->argument[i].name ? i : PITOT_CALL_ARGUMENTS;
}

/* Reads as much of the path as fits; dots at the end show that it is longer. */
void pitot_call_path(unsigned long *argument, int (*read)(unsigned long address, char *to))
{
    static char path[ARCH_CPUS_MAX][PATH_SIZE]; /* [owning CPU] of its hit */
    char *text = path[arch_cpu_id()];
    unsigned index = path_argument(argument[0]), length = 0;

    if (index < PITOT_CALL_ARGUMENTS)
        while (length < PATH_SIZE && read(argument[1 + index] + length, text + length) &&
               text[length] != '\0')
            length++;
    if (length == PATH_SIZE) {
        length--;
        memcpy(text + length - 3, "...", 3);
    }
    text[length] = '\0';
    argument[PITOT_INDEX(sys_enter, path)] = (uintptr_t)text;
    argument[PITOT_INDEX(sys_enter, path_more)] =
        length < TRACEPOINT_TEXT_SIZE ? 0 : (uintptr_t)text + TRACEPOINT_TEXT_SIZE - 1;
}
