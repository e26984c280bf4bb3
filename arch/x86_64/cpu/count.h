/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The maximum number of CPUs, as an array size. When Pitot is embedded, the builder sets it:
 * arch/embed has a replacement for this file.
 */
#pragma once

#define ARCH_CPUS_MAX 64
