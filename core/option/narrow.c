/* SPDX-License-Identifier: BSD-2-Clause */
/* See narrow.h. */
#include "core/option/narrow.h"

#include "arch/cpu.h"
#include "core/lib/number.h"

int narrow_set_pid(void *at, const char *typed, char *value, struct refusal *why)
{
    uint64_t pid;

    (void)typed;
    if (number_word(value, 0, &pid))
        return refuse(
            why, EINVAL,
            "pid \"%s\": the idle threads of all CPUs have this number, so it names none; "
            "-a records them, too, and --filter 'common_pid == 0' only them",
            value);
    if (!number_word(value, INT32_MAX, &pid))
        return refuse(why, EINVAL, "pid \"%s\": give the number of a thread; `ps` lists them",
                      value);
    *(uint32_t *)at = (uint32_t)pid;
    return 0;
}

static int refuse_cpus(const char *list, struct refusal *why)
{
    unsigned cpus = arch_cpus();

    if (cpus == 1)
        return refuse(why, EINVAL, "-C \"%s\": this machine has only CPU 0", list);
    return refuse(
        why, EINVAL,
        "-C \"%s\": give numbers of CPUs with commas, or ranges as 0-2; this machine has 0 to %u",
        list, cpus - 1);
}

/* Reads a CPU's number at *at, and moves it past. */
static bool read_cpu(const char **at, unsigned *cpu)
{
    uint64_t number;

    if (number_read(at, 10, arch_cpus() - 1, &number) != NUMBER_READ)
        return false;
    *cpu = (unsigned)number;
    return true;
}

int narrow_set_cpus(void *at, const char *typed, char *value, struct refusal *why)
{
    const char *next = value;
    uint64_t cpus = 0;

    (void)typed;
    for (;;) {
        unsigned first, last;

        if (!read_cpu(&next, &first))
            return refuse_cpus(value, why);
        last = first;
        if (*next == '-' && (next++, !read_cpu(&next, &last) || last < first))
            return refuse_cpus(value, why);
        for (unsigned cpu = first; cpu <= last; cpu++)
            cpus |= 1ull << cpu;
        if (*next == '\0')
            break;
        if (*next++ != ',')
            return refuse_cpus(value, why);
    }
    *(uint64_t *)at = cpus;
    return 0;
}
