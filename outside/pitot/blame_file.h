/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * blame.data, the last writer of all memory: a head that names the kernel, the records of
 * outside/wire.h as the plugin wrote them, up to WIRE_END, and a checksum of all this. In the
 * host's byte order, in words of 8 bytes. Called by outside/pitot/blame.c.
 */
#pragma once

#include "core/lib/refusal.h"
#include "outside/pitot/kernel.h"
#include "outside/wire.h"

/*
 * Changes with the head, and with a record that outside/pitot/blame.c reads; not with others, so a
 * file outlives changes of the pipe.
 */
#define BLAME_FILE_VERSION 5

struct blame_file_head {
    char magic[8];
    uint32_t version, build_id_size;
    uint8_t build_id[KERNEL_BUILD_ID_MAX + 4];
    char kernel[PATH_MAX]; /* absolute */
};

int blame_file_create(const char *path, const struct kernel *kernel, struct refusal *why);
int blame_file_write(const struct wire_head *record, struct refusal *why);

/* Writes the checksum, and closes the file, which replaces an older one if it is `whole`. */
int blame_file_close(bool whole, struct refusal *why);

/* The file stays open for blame_file_read. */
int blame_file_open(const char *path, struct blame_file_head *head, struct refusal *why);

/* Passes each record to `take`, up to WIRE_END. */
int blame_file_read(int (*take)(const struct wire_head *record, struct refusal *why),
                    struct refusal *why);
