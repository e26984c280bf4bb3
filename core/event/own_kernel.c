/* SPDX-License-Identifier: BSD-2-Clause */
/* See own_kernel.h. core/embed/sources.c replaces this. */
#include "core/event/own_kernel.h"

const bool own_kernel = true;
