/* SPDX-License-Identifier: BSD-2-Clause */
/* Single-instruction operations on one CPU's data, and barriers to publish it. Any context. */
#pragma once

#include "arch/x86_64/cpu/local.h"
