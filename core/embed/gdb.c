/* SPDX-License-Identifier: BSD-2-Clause */
/* gdb in another kernel, polled in CPU 0's timer interrupt. no_gdb.c replaces it without GDB=1. */
#include "arch/cpu.h"
#include "arch/debugger.h"
#include "arch/embed.h"
#include "core/embed/embed.h"
#include "core/gdb/debugger.h"
#include "core/host.h"
#include "core/lib/print.h"
#include "core/pitot.h"
#include "core/task.h"

#define NO_LINE   0xff /* what a port that is not there reads as */
#define BYTES_MAX 256  /* without a pause: more than a port keeps, or gdb sends between stops */

static bool started;    /* pitot_gdb_start has succeeded */
static uint32_t visits; /* number of times that gdb has come. [A] */

/* By one CPU at a time: while gdb comes, by `coming`; then by CPU 0, and in stops. */
static struct {
    int first;     /* the byte that pitot_gdb_start has read; -1: none */
    unsigned row;  /* bytes polled without a pause */
    unsigned ones; /* those at the end of them that were NO_LINE */
} polled = {.first = -1};

static bool line_is_absent(void)
{
    return polled.ones >= BYTES_MAX;
}

/* Pauses where the kernel's line does not, as the callers read until a pause. */
static int line_poll(void)
{
    int byte = polled.first;

    polled.first = -1;
    if (byte < 0 && !line_is_absent() && polled.row < BYTES_MAX)
        byte = host.gdb_get();
    polled.row = byte < 0 ? 0 : polled.row + 1;
    if (!line_is_absent())
        polled.ones = byte == NO_LINE ? polled.ones + 1 : 0;
    return byte;
}

static int line_get(void)
{
    int byte;

    while ((byte = host.gdb_get()) < 0)
        arch_relax();
    return byte;
}

static void line_put(const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        host.gdb_put((unsigned char)bytes[i]);
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

/* Returns which CPU would miss its stops, and why, or NULL. */
static const char *refused_by_cpu(void)
{
    static char text[160];
    unsigned cpu;
    const char *wrong = arch_embed_try_cpus(&cpu);

    if (!wrong)
        wrong = arch_embed_frames_wrong(&cpu);
    if (wrong)
        print_into(text, sizeof(text), "gdb: CPU %u: %s", cpu, wrong);
    return wrong ? text : NULL;
}

static const char *refused(void)
{
    if (!host_ready)
        return "pitot_init must succeed first";
    if (!host.gdb_get || !host.gdb_put)
        return "gdb: gdb_get and gdb_put of struct pitot_kernel are needed, or gdb_port alone";
    if (!host.mapped)
        return "gdb: " EMBED_NO_MAPPED;
    if (!host.frame)
        return "gdb: " EMBED_NO_FRAME;
    return refused_by_cpu();
}

static const char no_line[] = "gdb: gdb_get gives 0xff without end: no line is there";

/* Keeps the first byte of a gdb that has come before. */
static void try_line(void)
{
    uint64_t flags = arch_irq_save();
    int byte;

    do
        byte = line_poll();
    while (byte == NO_LINE && !line_is_absent());
    polled.first = byte;
    arch_irq_restore(flags);
}

const char *pitot_gdb_start(void)
{
    static const struct gdb_door door = {.name = "the kernel's line",
                                         .line = {line_get, line_put, line_ready},
                                         .poll = line_poll,
                                         .listen = door_listen,
                                         .open = door_open,
                                         .close = door_close};
    const char *wrong = refused();

    if (wrong)
        return wrong;
    try_line();
    if (line_is_absent())
        return no_line;
    gdb_init(&door, NULL);
    started = true;
    return NULL;
}

/* True if gdb has connected: its first packet begins, and the rest is read while stopped. */
static bool gdb_comes(void)
{
    static uint32_t coming; /* 1: a CPU is in here */
    bool comes = false;
    int byte;

    if (__atomic_exchange_n(&coming, 1, __ATOMIC_ACQUIRE))
        return false;
    while (!comes && !arch_embed_is_debugged() && (byte = line_poll()) >= 0)
        comes = gdb_arrived((uint8_t)byte, NULL);
    if (comes)
        __atomic_fetch_add(&visits, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&coming, 0, __ATOMIC_RELEASE);
    return comes;
}

int pitot_gdb_poll(void *frame)
{
    if (!started || arch_cpu_id() != 0)
        return 0;
    gdb_tick();
    return (arch_embed_is_debugged() || gdb_comes()) && arch_embed_listen(frame);
}

/* A gdb that comes in the timer's interrupt may have left when that returns. */
const char *pitot_gdb_wait(void)
{
    uint32_t before = __atomic_load_n(&visits, __ATOMIC_RELAXED);
    uint64_t flags;

    if (!started)
        return "pitot_gdb_start must succeed first";
    while (__atomic_load_n(&visits, __ATOMIC_RELAXED) == before && !arch_embed_is_debugged()) {
        flags = arch_irq_save();
        if (gdb_comes())
            arch_embed_stop_here(flags);
        else
            arch_irq_restore(flags);
        if (line_is_absent())
            return no_line;
    }
    return NULL;
}

void pitot_gdb_stop(void *frame)
{
    arch_embed_stop_dead(frame);
}
