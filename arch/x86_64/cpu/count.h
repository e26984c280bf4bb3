/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Maximum number of CPUs, as an array size. arch/embed replaces this file; its builder chooses the
 * number.
 */
#pragma once

#define ARCH_CPUS_MAX 64
