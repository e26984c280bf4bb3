/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inspects each block that QEMU translates, and registers callbacks where something must be
 * followed or counted (run.h). Runs in any of QEMU's threads.
 */
#pragma once

#include "outside/plugin/api.h"

void translate_block(struct qemu_plugin_tb *translated);
