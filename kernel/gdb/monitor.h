/* SPDX-License-Identifier: BSD-2-Clause */
/* gdb's `monitor`: runs a console command in its own thread during a stop (docs/gdb.md). */
#pragma once

#include "core/pitot.h"

extern const struct pitot_monitor gdb_monitor;
