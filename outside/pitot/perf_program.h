/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel as the program of a recording: the ELF file that perf reads, or a substitute beside
 * the recording, and where it is mapped. Called by outside/pitot/recording.c.
 */
#pragma once

#include <stdint.h>

#include "outside/pitot/kernel.h"

/*
 * Sets the program to the kernel's file, or to its substitute, which it writes beside the recording
 * at the path.
 */
int perf_program_create(const char *path, const struct kernel *kernel, struct refusal *why);

/* Writes the maps of a process. */
void perf_program_map(uint32_t pid);

/* Takes the kernel's run-time address minus its link address. Returns how much that has grown. */
uint64_t perf_program_slide(uint64_t to);

/* The substitute replaces an older one; if it was not kept, it is gone once it is closed. */
int perf_program_keep(struct refusal *why);
void perf_program_close(void);

/* The substitute's path; NULL: there is none. */
const char *perf_program_symbols(void);
