/* SPDX-License-Identifier: BSD-2-Clause */
/* What `pitot heap` asks of the plugin. Called by outside/pitot/heap.c. */
#pragma once

#include "outside/pitot/options.h"
#include "outside/pitot/watch.h"

/* Finds the allocators, and adds to the request all that it has for the heap. */
int heap_ask(const struct pitot_options *options, struct watch *watch, struct refusal *why);

/* Prints which allocators were found, and what is changed in the kernel. */
void heap_ask_tell(const struct pitot_options *options);
