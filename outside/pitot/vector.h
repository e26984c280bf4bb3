/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of interrupt vectors. Called by outside/pitot/last.c, trace.c and trace_file.c. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define VECTOR_EXCEPTIONS 32 /* the vectors below are the CPU's own */

/* "#PF"; "" if it is no exception, or none that has a name. */
const char *vector_name(int64_t vector);

/* True if the exception has an error code. */
bool vector_has_error(int64_t vector);
