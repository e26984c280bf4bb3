/* SPDX-License-Identifier: BSD-2-Clause */
/* See stream_port.h. */
#include "core/perf/stream_port.h"

#include "arch/arch.h"
#include "core/perf/base64.h"
#include "core/perf/recording.h"
#include "core/perf/recording_comms.h"

static struct sink *port; /* set at boot; NULL: the console lends its line */
static struct stream stream;

/*
 * Without a port each recording is a file of its own, so each begins with its own pipe header; on a
 * port one header serves all recordings of the boot, as perf ends at a second one.
 */
static void stream_port_write(struct sink *sink, const struct stream_kernel *kernel)
{
    const struct stream_task *tasks;
    size_t task_count = recording_comms(&tasks);
    struct stream_loss losses[ARCH_CPUS_MAX];
    size_t count = recording_losses(losses, ARCH_CPUS_MAX);

    if (!port || !stream.opened)
        stream_init(&stream, sink, kernel);
    stream_write_recording(&stream, recording_source(), tasks, task_count, losses, count,
                           arch_clock_ns());
}

void stream_port_set(struct sink *sink)
{
    port = sink;
}

void stream_port_write_recording(void)
{
    static struct stream_kernel kernel;
    static struct base64 base64;
    static unsigned blocks;
    char name[32];

    kernel = (struct stream_kernel){.arch = ARCH_NAME,
                                    .build_id = arch_build_id(),
                                    .text = arch_text_start(),
                                    .text_size = arch_text_end() - arch_text_start()};
    if (port) {
        stream_port_write(port, &kernel);
        return;
    }
    blocks++;
    print_into(name, sizeof(name), blocks == 1 ? "pitot.perf" : "pitot-%u.perf", blocks);
    base64_open(&base64, print_console(), name);
    stream_port_write(&base64.sink, &kernel);
    base64_close(&base64);
}
