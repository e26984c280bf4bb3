/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stops CPUs for moments where one depends on others: at calls, at atomic instructions, and after
 * stores to what an atomic instruction has accessed, as locks that are given back. What can happen
 * only if another CPU, or an interrupt, comes just then, happens more often. Called by plugin.c and
 * judges.c.
 */
#pragma once

#include <stdbool.h>

#include "outside/plugin/api.h"
#include "outside/plugin/facts.h"
#include "outside/request.h"

/* `cpus`: the most that the machine may have. False: no memory. */
bool shake_begin(qemu_plugin_id_t id, const struct request *request, unsigned cpus);

/* Registers the callbacks of an instruction that is translated. */
void shake_watch_instruction(const struct instruction *instruction);
