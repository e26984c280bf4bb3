/* SPDX-License-Identifier: BSD-2-Clause */
/* The registers of an interrupted or observed context. Any context. */
#pragma once

#include "arch/x86_64/cpu/regs.h"
