/* SPDX-License-Identifier: BSD-2-Clause */
/* What raw_syscalls:sys_enter needs of the table of system calls. In its hit, interrupts off. */
#include "core/host.h"
#include "core/lib/string.h"
#include "core/tracepoint/tracepoint.h"

PITOT_LAYOUT(sys_enter, 9, PITOT_CALL_BEGINS_FIELDS);

#define PATH_SIZE (2 * (TRACEPOINT_TEXT_SIZE - 1) + 1) /* split into two fields */

const struct pitot_call *tracepoint_call(unsigned long number)
{
    unsigned low = 0, high = host.call_count; /* the call is in [low, high) */

    if (number < high && host.calls[number].number == number) /* before the table's first gap */
        return &host.calls[number];
    while (low < high) {
        unsigned middle = (low + high) / 2;

        if (host.calls[middle].number == number)
            return &host.calls[middle];
        if (host.calls[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* Returns the address of the first path, or 0. */
static unsigned long path_address(const unsigned long *argument)
{
    const struct pitot_call *call = tracepoint_call(argument[0]);

    for (unsigned i = 0; call && call->argument[i].name; i++)
        if (call->argument[i].kind == PITOT_CALL_PATH)
            return argument[1 + i];
    return 0;
}

/* Dots at the end show that the path is longer. */
void pitot_call_path(unsigned long *argument,
                     unsigned long (*read)(unsigned long address, char *to, unsigned long room))
{
    static char path[ARCH_CPUS_MAX][PATH_SIZE]; /* [owning CPU] of its hit */
    char *text = path[arch_cpu_id()];
    unsigned long address = path_address(argument);
    unsigned long length = address ? read(address, text, PATH_SIZE) : 0;

    if (length == PATH_SIZE) {
        length--;
        memcpy(text + length - 3, "...", 3);
    }
    text[length] = '\0';
    argument[PITOT_INDEX(sys_enter, path)] = (uintptr_t)text;
    argument[PITOT_INDEX(sys_enter, path_more)] =
        length < TRACEPOINT_TEXT_SIZE ? 0 : (uintptr_t)text + TRACEPOINT_TEXT_SIZE - 1;
}
