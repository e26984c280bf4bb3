/* SPDX-License-Identifier: BSD-2-Clause */
/* See script.h. */
#include "boot/script.h"

#include "core/command/record.h"
#include "core/lib/print.h"
#include "kernel/cmdline.h"
#include "kernel/console/console.h"

static char text[CMDLINE_SIZE];

void script_boot_recording(void)
{
    perf_record_init();
    if (cmdline_value("perf.boot", text, sizeof(text)))
        perf_record_boot(text);
}

void script_run(void)
{
    bool has_script = cmdline_value("run", text, sizeof(text));

    perf_record_boot_end();
    if (cmdline_complaint())
        print("command line: %s\n", cmdline_complaint());
    for (const char *word = NULL; (word = cmdline_next_unasked(word));)
        print("command line: \"%s\" is not known; there are run=, perf.boot=, perf.rate=, "
              "watchdog=, gdb=\n",
              word);
    if (has_script)
        console_script(text);
}
