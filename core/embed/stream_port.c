/* SPDX-License-Identifier: BSD-2-Clause */
/* Replaces stream.c if there are console commands, which use the same stream. Task context. */
#include "core/embed/embed.h"
#include "core/stream/drain.h"

static struct sink *to;
static uint64_t left; /* bytes sent through the port */

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

/* Turns compression off: `perf record -z` applies only to its own recording. */
struct stream *embed_stream(void)
{
    struct stream *stream = stream_port();

    stream->compress = false;
    return stream;
}
