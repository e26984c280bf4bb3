/* SPDX-License-Identifier: BSD-2-Clause */
/* The tracepoints of another kernel: whether its linker script keeps them. */
#include "core/embed/embed.h"

#include "arch/site.h"
#include "core/pitot.h"
#include "core/tracepoint/tracepoint.h"

/* If even Pitot's own tracepoint is missing, the linker script has dropped the section. */
PITOT_TRACEPOINT(pitot, mark, 2, PITOT_FIELD(text, text, "%s"), PITOT_FIELD(u64, value, " %lu"));

/*
 * If there is none, not even of breakpoint:hit, the script has dropped those of patched
 * tracepoints. That one stays off: its tracepoint is in no list.
 */
extern const struct arch_site __start_pitot_sites[] __attribute__((weak));
extern const struct arch_site __stop_pitot_sites[] __attribute__((weak));

int embed_tracepoints_init(struct refusal *why)
{
    if (tracepoint_count() == 0)
        return refuse(why, EINVAL,
                      "the linker script drops the section pitot_tracepoints: "
                      "add KEEP(*(pitot_tracepoints)) between "
                      "__start_pitot_tracepoints and __stop_pitot_tracepoints");
    if ((uintptr_t)__start_pitot_sites == (uintptr_t)__stop_pitot_sites)
        return refuse(why, EINVAL,
                      "the linker script drops the section pitot_sites: add KEEP(*(pitot_sites)) "
                      "between __start_pitot_sites and __stop_pitot_sites");
    return tracepoints_complete(why);
}
