/* SPDX-License-Identifier: BSD-2-Clause */
/* Names that a mistyped word may stand for. Task context. */
#pragma once

#include <stddef.h>

/*
 * Prints "near: NAME, NAME; " with up to three of the names that the wrong word begins, or that
 * differ from it in up to a third of its letters; nothing if there are none. name_at: the names in
 * the order in which they are offered, NULL past the last.
 */
void near_print(const char *wrong, const char *(*name_at)(size_t index));
