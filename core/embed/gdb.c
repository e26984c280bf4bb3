/* SPDX-License-Identifier: BSD-2-Clause */
/* gdb in another kernel, polled in the timer interrupt. no_gdb.c replaces it without GDB=1. */
#include "arch/cpu.h"
#include "arch/debugger.h"
#include "arch/embed.h"
#include "core/embed/embed.h"
#include "core/gdb/debugger.h"
#include "core/host.h"
#include "core/pitot.h"

static bool started; /* pitot_gdb_start has succeeded */

static int line_get(void)
{
    int byte;

    while ((byte = pitot_host_gdb_get()) < 0)
        arch_relax();
    return byte;
}

static void line_put(const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        pitot_host_gdb_put((unsigned char)bytes[i]);
}

static bool line_ready(void)
{
    return true;
}

/* The kernel's interrupt polls with or without gdb. */
static void door_listen(bool on)
{
    (void)on;
}

static const char *door_open(void)
{
    return NULL;
}

static void door_close(void)
{
}

static const char *refused(void)
{
    if (!embed_ready())
        return "pitot_init must succeed first";
    if (!pitot_host_gdb_get || !pitot_host_gdb_put)
        return "gdb: the kernel does not give pitot_host_gdb_get and pitot_host_gdb_put";
    if (!pitot_host_mapped)
        return "gdb: the kernel does not give pitot_host_mapped, which says what memory is there";
    if (arch_cpus() > 1)
        return "gdb: more than one CPU: their registers are not known";
    return arch_embed_gate_wrong();
}

const char *pitot_gdb_start(void)
{
    static const struct gdb_door door = {.name = "the kernel's line",
                                         .line = {line_get, line_put, line_ready},
                                         .poll = pitot_host_gdb_get,
                                         .listen = door_listen,
                                         .open = door_open,
                                         .close = door_close};
    const char *wrong = refused();
    struct host with = host;

    if (wrong)
        return wrong;
    with.task_name = embed_task_name; /* as in the host of console commands */
    host_set(&with);
    gdb_init(&door, NULL, NULL);
    started = true;
    return NULL;
}

/* True if gdb has connected: its first packet begins, and the rest is read while stopped. */
static bool gdb_comes(void)
{
    int byte;

    while ((byte = pitot_host_gdb_get()) >= 0)
        if (gdb_arrived((uint8_t)byte, NULL))
            return true;
    return false;
}

int pitot_gdb_poll(struct pitot_regs *regs)
{
    return started && (arch_embed_is_debugged() || gdb_comes()) && arch_embed_listen(regs);
}

const char *pitot_gdb_wait(void)
{
    bool comes = false;
    uint64_t flags;

    if (!started)
        return "pitot_gdb_start must succeed first";
    while (!comes && !arch_embed_is_debugged()) {
        flags = arch_irq_save();
        comes = gdb_comes();
        if (comes)
            arch_stop_here();
        arch_irq_restore(flags);
    }
    return NULL;
}

void pitot_gdb_stop(struct pitot_regs *regs)
{
    arch_embed_stop_dead(regs);
}
