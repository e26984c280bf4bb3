/* SPDX-License-Identifier: BSD-2-Clause */
/* The stream of a kernel without console commands. Task context. */
#include "core/embed/embed.h"

static struct stream stream;

struct stream *embed_stream_open(struct sink *sink, const struct stream_kernel *kernel)
{
    stream_init(&stream, sink, kernel);
    return &stream;
}

struct stream *embed_stream(void)
{
    return &stream;
}
