/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The registers at the point of the call: for code that starts a call chain without a trap. Any
 * context.
 */
#pragma once

#include "arch/x86_64/cpu/snapshot.h"
