/* SPDX-License-Identifier: BSD-2-Clause */
/* The most CPUs, as an array size. arch/embed has its own, set by the builder. */
#pragma once

#define ARCH_CPUS_MAX 64
