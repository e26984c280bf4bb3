/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Single-instruction operations on data that one CPU owns, and the barriers that publish it to
 * other CPUs, as rings and counters need them. Any context.
 */
#pragma once

#include "arch/x86_64/cpu/local.h"
