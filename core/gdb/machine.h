/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * This kernel as the target that gdb's protocol works on (core/gdb/target.h). Called in stops.
 */
#pragma once

#include "core/gdb/target.h"

extern const struct gdb_target gdb_machine;
