/* SPDX-License-Identifier: BSD-2-Clause */
/* Suggests names for a mistyped command or subcommand. Any context in which name_at may run. */
#pragma once

#include <stddef.h>

/*
 * Writes "near: NAME, NAME; ", up to three candidates that begin with `wrong` or differ from it in
 * at most a third of its letters, or "". name_at returns the candidates, then NULL.
 */
void near_write(const char *wrong, const char *(*name_at)(size_t index), char *text, size_t size);
