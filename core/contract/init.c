/* SPDX-License-Identifier: BSD-2-Clause */
/* See init.h and core/pitot.h. */
#include "core/contract/init.h"

#include <stdint.h>

#include "arch/cpu.h"
#include "core/breakpoint/breakpoint.h"
#include "core/host.h"

static const char *wrong_of_calls(const struct pitot_kernel *kernel)
{
    _Static_assert(PITOT_CALLS_MAX == 64, "the words below say so");

    if (kernel->call_count && !kernel->calls)
        return "calls of struct pitot_kernel is 0, and call_count is not";
    if (kernel->call_count > PITOT_CALLS_MAX)
        return "call_count of struct pitot_kernel: up to 64 system calls are allowed";
    for (unsigned i = 1; i < kernel->call_count; i++)
        if (kernel->calls[i].number <= kernel->calls[i - 1].number)
            return "calls of struct pitot_kernel are not in the order of their numbers";
    for (unsigned i = 0; i < kernel->call_count; i++)
        if (!kernel->calls[i].name || kernel->calls[i].argument[PITOT_CALL_ARGUMENTS].name)
            return "calls of struct pitot_kernel: one has no name, or more than 6 arguments";
    return NULL;
}

/* Returns what is wrong with what every kernel gives, or NULL. */
static const char *wrong_of(const struct pitot_kernel *kernel)
{
    const char *wrong = wrong_of_calls(kernel);

    if (wrong)
        return wrong;
    if ((uintptr_t)kernel->text >= (uintptr_t)kernel->text_end ||
        (uintptr_t)pitot_init < (uintptr_t)kernel->text ||
        (uintptr_t)pitot_init >= (uintptr_t)kernel->text_end)
        return "text and text_end are not around the kernel's code: pitot_init lies outside";
    if (kernel->cpus > ARCH_CPUS_MAX)
        return "more CPUs than the object is made for: CPUS of make lib";
    if (!kernel->panic)
        return "panic of struct pitot_kernel is 0";
    if (!kernel->memory_take != !kernel->memory_give)
        return "memory_take or memory_give of struct pitot_kernel is 0: both or neither";
    return init_missing(kernel);
}

const char *pitot_init(const struct pitot_kernel *kernel)
{
    const char *wrong = host_ready ? "pitot_init has succeeded before" : wrong_of(kernel);

    if (wrong)
        return wrong;
    host_set(kernel);
    wrong = init_parts();
    if (wrong)
        return wrong;
    breakpoint_init();
    host_ready = true;
    return NULL;
}
