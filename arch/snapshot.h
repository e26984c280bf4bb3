/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The registers at the place of the call: for code that begins a call chain without a trap. Any
 * context.
 */
#pragma once

#include "arch/x86_64/cpu/snapshot.h"
