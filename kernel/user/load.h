/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads a program's file into memory. Task context. */
#pragma once

#include "kernel/user/process.h"

/*
 * Creates the address space of a process that does not run yet: the file's segments, and a stack
 * with the arguments (System V ABI, "Process Initialization"). Returns 0, or a negative errno and
 * the reason; the caller then undoes it.
 */
int load_program(struct process *process, const char *path, int argc, char *const *argv,
                 struct refusal *why);
