/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `monitor`: runs a console command in a separate thread while the stopped thread is held
 * (docs/gdb.md).
 */
#pragma once

#include "core/gdb/debugger.h"

extern const struct gdb_monitor gdb_commands;
