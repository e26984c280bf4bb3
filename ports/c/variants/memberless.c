/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sample kernel leaves out the members that inline.h replaces, and the name of thread 0, which
 * it names before. Linked in front of pitot_init (port.mk) for tests/boot/ports_c.t.
 */
#include "ports/c/kernel.h"

#include "pitot.h"

const char *__wrap_pitot_init(const struct pitot_kernel *kernel);
const char *__real_pitot_init(const struct pitot_kernel *kernel);

const char *__wrap_pitot_init(const struct pitot_kernel *kernel)
{
    struct pitot_kernel with = *kernel;

    with.cpu = 0;
    with.name = 0;
    pitot_thread_named(0, "early");
    return __real_pitot_init(&with);
}
