/* SPDX-License-Identifier: BSD-2-Clause */
/* From a program's file to its memory. Task context. */
#pragma once

#include "kernel/user/process.h"

/*
 * Makes the space of a process that does not run yet: the file's segments, and a stack with the
 * arguments as the System V ABI has them ("Process Initialization"). What was made until an error
 * is the caller's to undo. 0, or a negative errno and the reason.
 */
int load_program(struct process *process, const char *path, int argc, char *const *argv,
                 struct refusal *why);
