/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What parsing an option's value needs from the machine, for tests of the tables alone, which parse
 * none.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arch/cpu.h"
#include "arch/step.h"
#include "core/unwind/unwind.h"

bool unwind_possible(enum unwind_method method)
{
    fail_msg("whether chains by way %d are allowed", method);
    return false;
}

enum unwind_method unwind_default(void)
{
    fail_msg("which way makes chains");
    return UNWIND_BY_TABLE;
}

unsigned arch_cpus(void)
{
    fail_msg("how many CPUs there are");
    return 0;
}

bool arch_step_excludes_watches(void)
{
    fail_msg("what the machine can step over");
    return false;
}
