/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The command `version`: which Pitot this is. Not by the commit, as a host program: the build id
 * names the kernel exactly, and would change with each commit. Task context.
 */
#include "arch/memory.h"
#include "core/abi/version.h"
#include "core/lib/print.h"
#include "core/pitot.h"

static int version_run(int argc, char **argv)
{
    const uint8_t *id = arch_build_id();

    (void)argc, (void)argv;
    pitot_print("Pitot " PITOT_VERSION ", build id ");
    for (int i = 0; i < ARCH_BUILD_ID_SIZE; i++)
        pitot_print("%02x", id[i]);
    pitot_print("\n");
    return 0;
}

PITOT_COMMAND(version, "", "which Pitot this is", version_run);
