/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Registers of the very place that asks for them: for code that begins a call chain where no trap
 * has been. Any context.
 */
#pragma once

#include "arch/x86_64/cpu/snapshot.h"
