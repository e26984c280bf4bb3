/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inspects each block that QEMU translates, and registers callbacks where something must be
 * followed or counted (run.h). Runs in any of QEMU's threads.
 */
#pragma once

#include <stdbool.h>

#include "outside/plugin/api.h"

void translate_block(struct qemu_plugin_tb *translated);

/* True once the kernel's first block was translated; false again after a reset. Needs no lock. */
bool translate_has_begun(void);
