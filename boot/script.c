/* SPDX-License-Identifier: BSD-2-Clause */
/* See boot.h. */
#include "boot/boot.h"

#include "core/lib/print.h"
#include "core/pitot_boot.h"
#include "kernel/cmdline.h"
#include "kernel/console/console.h"

static char text[CMDLINE_SIZE];

static void set_rate(void)
{
    struct refusal why;
    uint64_t rate;
    int error = cmdline_number("perf.rate", &rate, &why);

    if (!error)
        session_set_rate(rate);
    else if (error != -ENOENT)
        print("perf.rate: %s\n", why.text);
}

void script_boot_recording(void)
{
    set_rate();
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
