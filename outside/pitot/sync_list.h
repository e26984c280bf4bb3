/* SPDX-License-Identifier: BSD-2-Clause */
/* What --sync names, for the plugin. Called by outside/pitot/race.c. */
#pragma once

#include "core/lib/refusal.h"
#include "outside/pitot/options.h"
#include "outside/pitot/watch.h"

/* Asks for the functions and variables that match one of the globs. */
int sync_list_ask(const struct spelt_events *globs, struct watch *watch, struct refusal *why);
