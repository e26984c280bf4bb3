/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How many CPUs arrays have room for. Where Pitot is embedded, its maker says it: arch/embed has
 * one of these in place of this one.
 */
#pragma once

#define ARCH_CPUS_MAX 64
