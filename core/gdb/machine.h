/* SPDX-License-Identifier: BSD-2-Clause */
/* This kernel as a target of gdb's protocol (core/gdb/target.h). Called in stops. */
#pragma once

#include "core/gdb/target.h"

extern const struct gdb_target gdb_machine;
