/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Operations on data that one CPU owns, each in one instruction, and how it is published to others:
 * the ring's, and those of counters. Any context.
 */
#pragma once

#include "arch/x86_64/cpu/local.h"
