/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory of a machine behind QEMU's stub for gdb. The stub translates addresses as the
 * machine's first CPU does. A machine that runs is stopped by QEMU when a debugger connects; one
 * that another debugger holds does not answer. Called by tools/postmortem/main.c.
 */
#include "tools/stub/stub.h"

#include "tools/postmortem/memory.h"

static struct {
    struct memory memory;
    struct stub stub;
} stopped;

static bool stopped_read(struct memory *memory, uint64_t address, void *to, size_t size)
{
    (void)memory;
    return stub_read(&stopped.stub, address, to, size);
}

static bool stopped_close(struct memory *memory, bool go_on)
{
    bool done = !go_on || stub_ask(&stopped.stub, "D", "OK");

    if (!done)
        complain(memory->path, "the machine was not let go: %s", stopped.stub.why);
    stub_disconnect(&stopped.stub);
    return done;
}

struct memory *stub_open(const char *path)
{
    stopped.memory = (struct memory){.path = path, .read = stopped_read, .close = stopped_close};
    if (stub_connect(&stopped.stub, path))
        return &stopped.memory;
    complain(path, "%s", stopped.stub.why);
    return NULL;
}
