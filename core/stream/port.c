/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stream of drain.h. On a port one header serves all recordings, because perf stops at a second
 * header.
 */
#include "core/stream/drain.h"

#include "arch/cpu.h"
#include "arch/memory.h"
#include "core/lib/assert.h"
#include "core/lib/cpus.h"
#include "core/recording/recording.h"
#include "core/stream/base64.h"

static struct stream port; /* sink NULL: there is no port */
/* Used by the port's stream, or by a block if there is no port or a panic has given it up. */
static struct stream_packer packer;
static struct stream_kernel kernel;
static const struct stream_kernel *given; /* NULL: arch describes the kernel */
static struct base64 block;
static bool block_open; /* a block is being written to the console */
static const uint64_t *console_left;

/* The CPU's identification in perf's format. */
static const char *cpu_kind(void)
{
    static char text[48]; /* always the same string, so it may be written twice */
    const struct arch_cpu_kind kind = arch_cpu_kind();

    print_into(text, sizeof(text), "%s,%u,%u,%u", kind.maker, kind.family, kind.model,
               kind.stepping);
    return text;
}

void stream_port_describe(const struct stream_kernel *with)
{
    given = with;
}

static const struct stream_kernel *describe_kernel(void)
{
    if (given)
        return given;
    kernel = (struct stream_kernel){.arch = ARCH_NAME,
                                    .cpu = arch_cpu_name(),
                                    .cpu_kind = cpu_kind(),
                                    .cpus = arch_cpus(),
                                    .online = cpus_running(),
                                    .build_id = arch_build_id(),
                                    .text = arch_text_start(),
                                    .text_size = arch_text_end() - arch_text_start()};
    return &kernel;
}

void stream_port_set(struct sink *sink, const uint64_t *left)
{
    stream_init(&port, sink, describe_kernel());
    port.left = left;
    stream_set_packer(&port, &packer);
}

void stream_block_set(const uint64_t *left)
{
    console_left = left;
}

struct stream *stream_port(void)
{
    if (port.sink && !port.opened)
        describe_kernel(); /* the port is set before the CPUs are counted */
    return port.sink ? &port : NULL;
}

void stream_block_write(void)
{
    static struct stream stream;
    static struct recorded_loss losses[ARCH_CPUS_MAX];
    static unsigned blocks;
    const struct recorded_task *tasks;
    size_t task_count = recording_tasks(&tasks), loss_count;
    char name[32];

    assert(!block_open); /* blocks must not nest */
    blocks++;
    print_into(name, sizeof(name), blocks == 1 ? "pitot.perf" : "pitot-%u.perf", blocks);
    loss_count = recording_losses(losses, ARCH_CPUS_MAX);
    block_open = true;
    base64_open(&block, print_console(), console_left, name);
    stream_init(&stream, &block.sink, describe_kernel());
    stream_set_packer(&stream, &packer);
    stream.compress = recording_compresses();
    stream_write_recording(&stream, recording_source_for_stream(), tasks, task_count, losses,
                           loss_count, arch_clock_ns());
    base64_close(&block);
    block_open = false;
}

void stream_block_cut(void)
{
    if (block_open)
        base64_cut(&block);
    block_open = false;
}
