/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Single-instruction operations on data of one CPU, and barriers that publish it to other CPUs: for
 * rings and counters. Any context.
 */
#pragma once

#include "arch/x86_64/cpu/local.h"
