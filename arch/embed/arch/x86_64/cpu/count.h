/* SPDX-License-Identifier: BSD-2-Clause */
/* As many CPUs as core/embed/lib.mk was told, in place of arch/x86_64/cpu/count.h. */
#pragma once

#define ARCH_CPUS_MAX EMBED_CPUS
