/* SPDX-License-Identifier: BSD-2-Clause */
/* Suggests names for a mistyped command or subcommand. Task context. */
#pragma once

#include <stddef.h>

/*
 * Prints "near: NAME, NAME; ", up to three candidates that begin with `wrong` or differ from it in
 * at most a third of its letters, or nothing. name_at returns the candidates, then NULL.
 */
void near_print(const char *wrong, const char *(*name_at)(size_t index));
