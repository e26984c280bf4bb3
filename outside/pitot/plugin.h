/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The argument with which QEMU loads the plugin, including the plugin's own arguments:
 *
 *     FILE.so,out=FD,text=FIRST:LAST[,code=FD:HEXADDR:HEXOFFSET:HEXSIZE][,chains=0][,registers=1]
 *         [,event=insn:PERIOD][,event=mem:HEXADDR:LEN:r|w|rw:PERIOD]
 *         [,event=at:HEXADDR:LEN:r|w|rw:PERIOD][,event=call|return:FILE:PERIOD]
 *         [,event=irq:FIRST-LAST:PERIOD][,log=FOLDER:FD:ALL]
 *         [,stop=...][,from=HEXADDR][,until=HEXADDR][,max=SAMPLES]
 *         [the command's own arguments (struct watch)]
 *
 * with the events in order; the first hit of a `stop` event ends the recording. text is the range
 * of the kernel's code, and code its bytes in the kernel's file; nothing is counted before some of
 * it runs. at is a run-time address, which the kernel's slide does not move. PERIOD 0 counts
 * without samples. FILE has a function's entry address on each line, in hexadecimal. Called by
 * outside/pitot/watch.c.
 */
#pragma once

#include <stdbool.h>

#include "outside/pitot/qemu.h"
#include "outside/pitot/qemu_log.h"
#include "outside/pitot/watch.h"

struct plugin {
    char file[PATH_MAX];
    bool tried; /* tested with this version of QEMU */
    bool reads; /* QEMU reports registers and values to it */
};

/*
 * Finds, beside the command's file or in ../lib/pitot, the plugin tested with this QEMU, or the
 * newest that it loads.
 */
int plugin_find(struct plugin *plugin, char *program, const struct qemu_version *version,
                struct refusal *why);

/*
 * Returns the argument, which the caller frees, or NULL and the reason. `out` is a descriptor that
 * QEMU inherits.
 */
char *plugin_argument(const struct plugin *plugin, const struct watch *watch, int out,
                      const struct qemu_log *log, struct refusal *why);
