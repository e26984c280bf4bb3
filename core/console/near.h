/* SPDX-License-Identifier: BSD-2-Clause */
/* Suggests names for a mistyped word. Task context. */
#pragma once

#include <stddef.h>

/*
 * Prints "near: NAME, NAME; " with up to three names that begin with the wrong word or differ from
 * it in at most a third of its letters; nothing if there are none. name_at returns the candidates
 * in the order in which they are offered, and NULL past the last.
 */
void near_print(const char *wrong, const char *(*name_at)(size_t index));
