/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stream of a kernel that has the console's commands, too: perf reads one file, so what
 * pitot_stop writes and what `perf record` does go through the same port. In place of stream.c.
 * Task context.
 */
#include "core/embed/embed.h"
#include "core/stream/port.h"

static struct sink *to;
static uint64_t left; /* what has left by the port */

static void port_write(struct sink *sink, const char *bytes, size_t length)
{
    (void)sink;
    to->write(to, bytes, length);
    left += length;
}

struct stream *embed_stream_open(struct sink *sink, const struct stream_kernel *kernel)
{
    static struct sink port = {port_write};

    to = sink;
    stream_port_describe(kernel);
    stream_port_set(&port, &left);
    return stream_port();
}

/* What `perf record -z` has asked for is for its recording alone. */
struct stream *embed_stream(void)
{
    struct stream *stream = stream_port();

    stream->compress = false;
    return stream;
}
