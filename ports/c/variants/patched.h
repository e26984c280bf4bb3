/* SPDX-License-Identifier: BSD-2-Clause */
/* Included before each source: tracepoints are one instruction while they are off. */
#pragma once

#define PITOT_PATCHED
