/* SPDX-License-Identifier: BSD-2-Clause */
/* Stubs for core/embed/gdb.c in an object built without it. Any context. */
#include "core/pitot.h"

static const char refusal[] = "gdb: the object is made without it: GDB=1 of make lib";

const char *pitot_gdb_start(void)
{
    return refusal;
}

const char *pitot_gdb_wait(void)
{
    return refusal;
}

int pitot_gdb_poll(void *frame)
{
    (void)frame;
    return 0;
}

void pitot_gdb_stop(void *frame)
{
    (void)frame;
}
