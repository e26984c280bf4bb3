/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the reports of `pitot heap`. Called by outside/pitot/heap.c. */
#pragma once

#include <stdint.h>

#include "outside/wire.h"

/* The event of a report: heap:use_after_free. */
const char *heap_event(enum wire_heap_kind kind);

/* ... and in words. */
const char *heap_title(enum wire_heap_kind kind);

/* Prints what is wrong, the code that did it, and who allocated and freed the object. */
void heap_print(const struct wire_heap *report);

/* Prints objects that are live at the end, and the callers that have allocated them. */
void heap_print_live(const struct wire_live *live);
