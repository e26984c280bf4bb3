/* SPDX-License-Identifier: BSD-2-Clause */
/* This kernel, as gdb's protocol asks for a machine (core/remote/target.h). In stops. */
#pragma once

#include "core/remote/target.h"

extern const struct gdb_target gdb_machine;
