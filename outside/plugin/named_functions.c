/* SPDX-License-Identifier: BSD-2-Clause */
/* See named_functions.h. */
#include "outside/plugin/named_functions.h"

#include <assert.h>
#include <stddef.h>

#include "outside/plugin/registers.h"

struct named_functions named_functions_of(const struct request_lock_function *function,
                                          uint32_t count)
{
    assert(count <= LOCK_FUNCTIONS_MOST);
    return (struct named_functions){function, count, 0};
}

const struct request_lock_function *named_functions_find(const struct named_functions *functions,
                                                         uint64_t ip)
{
    for (uint32_t i = 0; i < functions->count; i++)
        if (functions->function[i].entry == ip - functions->slide)
            return &functions->function[i];
    return NULL;
}

uint64_t named_functions_value(const struct named_functions *functions, unsigned cpu,
                               const struct request_lock_function *function)
{
    return function->lock > ARGUMENTS_MOST ? function->lock + functions->slide
                                           : registers_argument(cpu, function->lock);
}
