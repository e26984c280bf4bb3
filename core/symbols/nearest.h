/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the names nearest to a wrong one. Task context, a few hundred bytes of stack. */
#pragma once

#include <stddef.h>

#define NEAREST_MOST 16 /* even if the caller asks for more */

/* Returns the name at `index` of the list `of`; NULL past the end. */
typedef const char *nearest_name_at(const void *of, size_t index);

/* Stores the indices of up to `most` names nearest to `wrong`, nearest first. Returns how many. */
size_t nearest_find(const char *wrong, nearest_name_at *name_at, const void *of, size_t *nearest,
                    size_t most);
