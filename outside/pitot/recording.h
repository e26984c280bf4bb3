/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the plugin says, as perf's records: the kernel is a process whose program is the ELF file,
 * and each of its stacks a thread of it, so that perf finds all names with no option. Called by
 * outside/pitot/record.c and watch.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "outside/pitot/event.h"
#include "outside/wire.h"

/* Where it goes. */
const char *recording_output(const struct pitot_options *options);

/* 0, or a negative errno and the reason. */
int recording_create(const struct pitot_options *options, const struct kernel *kernel,
                     const struct events *events, struct refusal *why);

/* The kernel runs so far above the addresses of its file. */
void recording_slide(uint64_t slide);

int recording_thread(const struct wire_thread *thread, struct refusal *why);

/* The next sample has them. */
void recording_registers(const struct wire_registers *registers);

/* 0, or a negative errno and the reason: it is of no event or context. */
int recording_sample(const struct wire_sample *sample, struct refusal *why);

/* After recording_close: how many samples are in the file; how many were overwritten. */
uint64_t recording_samples(void);
uint64_t recording_overwritten(void);

/* How many chains were too long for a record. */
uint64_t recording_cut(void);

/* The machine's CPUs and the command, for perf's header. */
int recording_close(uint32_t cpus, int argc, char *const *argv, struct refusal *why);
