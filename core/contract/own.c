/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See init.h. A kernel that is linked with Pitot's own entries (arch/x86_64/entry) may have tables
 * that belong to another build, or none: then it is observed without them.
 */
#include "core/contract/init.h"

#include "arch/cpu.h"
#include "arch/memory.h"
#include "arch/watch.h"
#include "core/abi/version.h"
#include "core/event/event.h"
#include "core/event/source_branches.h"
#include "core/event/source_clock.h"
#include "core/gdb/debugger.h"
#include "core/lib/print.h"
#include "core/perf/commands.h"
#include "core/recording/recording.h"
#include "core/symbols/symbols.h"
#include "core/tracepoint/tracepoint.h"
#include "core/unwind/unwind.h"

static struct refusal nameless_why, tableless_why;
static int nameless, tableless;
static const char *mapless;

/*
 * Called in an NMI. Returns false during a hit, which uses events and probes that it has read, and
 * while this CPU sends gdb a packet, which gdb would ignore if it were cut in two.
 */
ARCH_HIT_TEXT static bool may_park(void)
{
    unsigned cpu = arch_cpu_id();

    return !tracepoint_is_recording(cpu) && !event_is_busy(cpu) && !gdb_is_sending(cpu);
}

/* What others give as members, such a kernel has in line: arch/own.h. */
const char *init_missing(const struct pitot_kernel *kernel)
{
    (void)kernel;
    return NULL;
}

const char *init_parts(void)
{
    static struct refusal why;

    if (tracepoints_complete(&why) != 0)
        return why.text;
    nameless = symbols_init(arch_build_id(), ARCH_BUILD_ID_SIZE, &nameless_why);
    tableless = unwind_init(&tableless_why);
    mapless = arch_accessor_init();
    arch_set_may_park(may_park);
    branches_step_programs();
    return NULL;
}

/* gdb's line interrupts: there is nothing to poll. */
int pitot_gdb_poll(void *frame)
{
    (void)frame;
    gdb_tick();
    return 0;
}

void pitot_gdb_stop(void *frame)
{
    gdb_panicked(frame);
}

void pitot_tick(const void *frame)
{
    event_clock_interrupt(frame, arch_clock_ns());
    event_tick();
    if (arch_cpu_id() == 0)
        session_tick();
}

const char *pitot_banner(void)
{
    static char text[64];

    print_into(text, sizeof(text), "version " PITOT_VERSION ", %zu symbols", symbols_count());
    return text;
}

void pitot_boot_begins(void)
{
    recording_init();
    if (nameless)
        print("Pitot: no symbols: %s\n", nameless_why.text);
    if (tableless)
        print("Pitot: call chains %s: %s\n",
              unwind_possible(UNWIND_BY_FRAME_POINTER) ? "by frame pointers only"
                                                       : "of one frame only",
              tableless_why.text);
    if (mapless)
        print("Pitot: breakpoint:hit names no instruction: %s\n", mapless);
}
