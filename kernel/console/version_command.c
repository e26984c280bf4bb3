/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The command `version`: which Pitot this is. Not by the commit, as a host program: the build id
 * names the kernel exactly, and would change with each commit. Task context.
 */
#include "arch/memory.h"
#include "core/abi/version.h"
#include "core/console/command.h"
#include "core/lib/print.h"

static int version_run(int argc, char **argv)
{
    const uint8_t *id = arch_build_id();
    struct sink *out = command_output();

    (void)argc, (void)argv;
    print_to(out, "Pitot " PITOT_VERSION ", build id ");
    for (int i = 0; i < ARCH_BUILD_ID_SIZE; i++)
        print_to(out, "%02x", id[i]);
    print_to(out, "\n");
    return 0;
}

COMMAND(version_command) = {
    .name = "version", .usage = "", .summary = "which Pitot this is", .run = version_run};
