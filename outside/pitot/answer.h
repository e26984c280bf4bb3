/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs a program without input, and takes what it answers. Called by outside/pitot/qemu.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define ANSWER_PATIENCE 10 /* seconds for all of it */

/*
 * The program's descriptors `first` to `last` write to `text`, up to `room` bytes; then it is
 * killed. Returns the number of bytes, or a negative errno. *late: it had not ended by itself.
 */
long answer_read(char *const *words, int first, int last, char *text, size_t room, bool *late);
