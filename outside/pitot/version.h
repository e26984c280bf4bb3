/* SPDX-License-Identifier: BSD-2-Clause */
/* What this pitot is. Called by outside/pitot/main.c and recording.c. */
#pragma once

#include "core/abi/version.h"

/* PITOT_COMMIT: that of the tree, from the Makefile; "" without git. */
#define VERSION_TEXT PITOT_VERSION PITOT_COMMIT

/* `pitot --version`: the version, and the interfaces of QEMU that it has plugins for. */
int version_print(void);
