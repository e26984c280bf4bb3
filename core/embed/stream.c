/* SPDX-License-Identifier: BSD-2-Clause */
/* A kernel without console commands: its stream, and nothing for commands. Task context. */
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

void embed_console_give(void)
{
}
