/* SPDX-License-Identifier: BSD-2-Clause */
/* The places of the kernel's variables, for the plugin. Called by outside/pitot/heap_ask.c. */
#pragma once

#include "outside/pitot/watch.h"

/* Adds them to the request, in ranges that do not overlap. */
int variables_ask(struct watch *watch, struct refusal *why);
