/* SPDX-License-Identifier: BSD-2-Clause */
/* gdb's `monitor`: runs a console command in its own thread during a stop (docs/gdb.md). */
#pragma once

#include "core/gdb/debugger.h"

extern const struct gdb_monitor gdb_commands;
