/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sample kernel's own stub serves debug traps that are not Pitot's. Linked in front of
 * pitot_init (port.mk) for tests/boot/ports_c.t.
 */
#include "ports/c/kernel.h"

#include "pitot.h"

const char *__wrap_pitot_init(const struct pitot_kernel *kernel);
const char *__real_pitot_init(const struct pitot_kernel *kernel);

const char *__wrap_pitot_init(const struct pitot_kernel *kernel)
{
    static struct pitot_kernel with;

    with = *kernel;
    with.debug_next = (void (*)(void))(trap_table + 16);
    return __real_pitot_init(&with);
}
