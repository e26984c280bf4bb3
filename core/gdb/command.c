/* SPDX-License-Identifier: BSD-2-Clause */
/* The command `gdb`, which waits for gdb. Task context. */
#include "core/gdb/debugger.h"
#include "core/lib/string.h"
#include "core/pitot.h"

static int gdb_run(int argc, char **argv)
{
    bool console = argc == 2 && strcmp(argv[1], "console") == 0;
    const struct gdb_door *door = gdb_door_of(console);
    struct refusal why;
    int error;

    if (gdb_tell(print_console()))
        return 0;
    if (argc > 1 && !console)
        error = refuse(&why, EINVAL,
                       "\"%s\": use `gdb` alone, or `gdb console` to lend gdb the console's port",
                       argv[1]);
    else
        error =
            door ? gdb_wait_at(door, &why) : refuse(&why, ENODEV, "there is no serial port for it");
    if (error)
        print("gdb: %s\n", why.text);
    return error;
}

PITOT_COMMAND(gdb, "[console]",
              "waits for gdb at a serial port; once attached, tells what was refused last",
              gdb_run);
