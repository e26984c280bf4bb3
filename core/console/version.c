/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The command `version`: which Pitot this is, and which kernel. Not by the commit, as a host
 * program: the build id names the kernel exactly, and would change with each commit. Task context.
 */
#include "core/abi/version.h"
#include "arch/memory.h"
#include "core/lib/print.h"
#include "core/lib/string.h"
#include "core/pitot.h"

static int version_run(int argc, char **argv)
{
    static const uint8_t none[ARCH_BUILD_ID_SIZE];
    const uint8_t *id = arch_build_id();

    (void)argc, (void)argv;
    if (memcmp(id, none, sizeof(none)) == 0) {
        pitot_print("Pitot " PITOT_VERSION "; this kernel has no build id\n");
        return 0;
    }
    pitot_print("Pitot " PITOT_VERSION ", build id ");
    for (int i = 0; i < ARCH_BUILD_ID_SIZE; i++)
        pitot_print("%02x", id[i]);
    pitot_print("\n");
    return 0;
}

PITOT_COMMAND(version, "", "which Pitot this is", version_run);
