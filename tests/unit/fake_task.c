/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The name in core/host.h for tests on the host without threads: one task has it. Its ids are
 * tests/unit/fake_arch.c's.
 */
#include "core/host.h"

#include <stdio.h>

static char name[TASK_NAME_SIZE] = "pitot";

const char *task_name(void)
{
    return name;
}

void task_set_name(const char *new_name)
{
    snprintf(name, sizeof(name), "%s", new_name);
}
