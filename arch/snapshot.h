/* SPDX-License-Identifier: BSD-2-Clause */
/* The registers at the call, for chains that start without a trap. Any context. */
#pragma once

#include "arch/x86_64/cpu/snapshot.h"
