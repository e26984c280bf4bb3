/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks the headers of an ELF file before anything else is read by them: what they name lies in
 * the file, so a truncated or forged file is refused. Called by outside/pitot/kernel.c.
 */
#pragma once

#include <libelf.h>

#include "core/lib/refusal.h"

/* Once this returned 0, each segment and section lies in the file, and in memory. */
int elf_check(Elf *elf, const char *path, struct refusal *why);
