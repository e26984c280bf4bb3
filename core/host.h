/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the kernel that contains Pitot has given (core/pitot.h), for all of core/. Only
 * assert_failed (core/lib/assert.h) is a plain function, because a broken invariant must not depend
 * on a pointer.
 */
#pragma once

#include <stdbool.h>

#include "core/lib/refusal.h"
#include "core/pitot.h"

/* Written only by host_set. */
extern struct pitot_kernel host;

/* Called once at boot, before any other function of Pitot. */
void host_set(const struct pitot_kernel *with);

/* True once pitot_init has succeeded. Set last, as other CPUs may call Pitot meanwhile. */
extern bool host_ready;

/*
 * True in Pitot's own kernel, where TAB completes, its tracepoints and make targets are there, and
 * breakpoint:hit has the fields of hits; false in a kernel that embeds Pitot.
 */
extern const bool own_kernel;

/* `panic`, which must be there. Any context. */
static inline _Noreturn void host_panic(const char *what)
{
    host.panic(what);
    for (;;) {
    }
}

/* `program_load`, which must be there, with the reason in `why`. Task context. */
static inline const struct pitot_program *host_program(const char *path, struct refusal *why)
{
    static const char *reason; /* the kernel's words outlive the call */
    const struct pitot_program *program;

    reason = "it cannot be loaded";
    program = host.program_load(path, &reason);
    if (!program)
        refuse(why, ENOENT, "%s", reason);
    return program;
}
