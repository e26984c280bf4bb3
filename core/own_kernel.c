/* SPDX-License-Identifier: BSD-2-Clause */
/* See host.h. core/embed/sources.c replaces this. */
#include "core/host.h"

const bool own_kernel = true;
