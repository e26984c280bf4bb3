/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `monitor`: a command of the console's, run by a thread of its own while the stopped one is held
 * (docs/gdb.md).
 */
#pragma once

#include "core/gdb/debugger.h"

extern const struct gdb_monitor gdb_commands;
