/* SPDX-License-Identifier: BSD-2-Clause */
/* See trace_perf.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "outside/pitot/trace_perf.h"

#define NS_IN_S   1000000000ull
#define CPUS_MOST 4096
#define LOST      TRACE_LINE_LOST " lost " /* has no colon */

/* Cuts the word that ends before `end`, "pid/tid", off the comm before it. False: it is none. */
static bool read_ids(char *line, char *end, struct trace_line *sample)
{
    while (end > line && end[-1] == ' ')
        *--end = '\0';
    while (end > line && end[-1] != ' ')
        end--;
    if (sscanf(end, "%d/%d", &sample->pid, &sample->tid) != 2)
        return false;
    while (end > line && end[-1] == ' ')
        *--end = '\0';
    sample->comm = line + strspn(line, " ");
    return true;
}

bool trace_line_read(char *line, struct trace_line *sample)
{
    for (char *at = strchr(line, '['); at; at = strchr(at + 1, '[')) {
        uint64_t seconds, ns;
        int used = 0;
        char *end;

        if (sscanf(at, "[%" SCNu64 "] %" SCNu64 ".%9" SCNu64 ": %n", &sample->cpu, &seconds, &ns,
                   &used) != 3 ||
            !used)
            continue;
        if (sample->cpu >= CPUS_MOST || !read_ids(line, at, sample))
            return false;
        sample->time = seconds * NS_IN_S + ns;
        sample->event = at + used;
        end = strncmp(sample->event, LOST, strlen(LOST)) == 0
                  ? sample->event + strlen(TRACE_LINE_LOST)
                  : strstr(sample->event, ": ");
        if (!end)
            end = strstr(sample->event, ":\n");
        if (!end)
            return false;
        *end = '\0';
        sample->text = end + 1 + strspn(end + 1, " ");
        sample->text[strcspn(sample->text, "\n")] = '\0';
        return true;
    }
    return false;
}

int64_t trace_line_field(const char *text, const char *name, int64_t otherwise)
{
    const char *at = strstr(text, name);

    return at ? strtoll(at + strlen(name), NULL, 10) : otherwise;
}
