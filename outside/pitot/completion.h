/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Completion of `pitot` in shells, out of the tables of options. The build writes it to files
 * (outside/outside.mk) by `pitot --completion SHELL`.
 */
#pragma once

#include <stddef.h>

#include "outside/pitot/options.h"

/* Prints the shell's file. Returns 0, or -EINVAL for another shell than bash and zsh. */
int completion_print(const char *shell, const struct options *const *commands, size_t count);
