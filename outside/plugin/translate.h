/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a block does is looked at when QEMU translates it, and QEMU is asked to call where something
 * has to be followed or counted (run.h). In any of QEMU's threads.
 */
#pragma once

#include "outside/plugin/api.h"

void translate_block(struct qemu_plugin_tb *translated);
