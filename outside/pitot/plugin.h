/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The argument that has QEMU load the plugin, and what it says to it:
 *
 *     FILE.so,out=FD,text=FIRST:LAST[,code=FD:HEXADDR:HEXOFFSET:HEXSIZE][,chains=0][,registers=1]
 *         [,event=insn:PERIOD][,event=mem:HEXADDR:LEN:r|w|rw:PERIOD]
 *         [,event=at:HEXADDR:LEN:r|w|rw:PERIOD][,event=call|return:FILE:PERIOD][,event=irq:PERIOD]
 *         [,stop=...][,from=HEXADDR][,until=HEXADDR][,max=SAMPLES]
 *         [what the command itself wants (struct watch)]
 *
 * in the order of the events; `stop` is one whose first hit ends the recording. text: where the
 * kernel's code lies, of which code: are the bytes in its file; nothing counts before some of it
 * runs. at: where it runs, whatever the kernel's slide. PERIOD 0: counted alone. FILE has the
 * address of a function's entry on each line, in hexadecimal. Called by outside/pitot/watch.c.
 */
#pragma once

#include <stdbool.h>

#include "outside/pitot/qemu.h"
#include "outside/pitot/watch.h"

struct plugin {
    char file[PATH_MAX];
    bool tried; /* with this version of QEMU */
    bool reads; /* QEMU tells it registers and values */
};

/*
 * The plugin for this QEMU, beside the command's file or in ../lib/pitot: the one that has run with
 * this version, or the newest that it loads. 0, or a negative errno and the reason.
 */
int plugin_find(struct plugin *plugin, char *program, const struct qemu_version *version,
                struct refusal *why);

/*
 * The argument, to be freed; NULL and a reason. `out`: a descriptor that QEMU inherits. The lists
 * of functions are descriptors that it inherits, too.
 */
char *plugin_argument(const struct plugin *plugin, const struct watch *watch, int out,
                      struct refusal *why);
