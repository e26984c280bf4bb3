/* SPDX-License-Identifier: BSD-2-Clause */
/* The hints of commands.h. */
#include "core/perf/commands.h"

#include <linux/hw_breakpoint.h>

#include "arch/memory.h"
#include "core/breakpoint/breakpoint.h"
#include "core/event/source_clock.h"
#include "core/lib/print.h"
#include "core/symbols/symbols.h"
#include "core/tracepoint/tracepoint.h"

bool record_hints_miscounts(const struct event_spec *event)
{
    return event->source->watches && event->attr.bp_type != HW_BREAKPOINT_X &&
           arch_watch_miscounts_locked();
}

void record_hints_watches(const char *command, const struct recording_options *recording)
{
    bool told = false, watches = breakpoint_used() > 0, miscounts = false;

    for (unsigned i = 0; i < recording->event_count; i++) {
        const struct event_spec *event = &recording->events[i];
        uint64_t address = event->attr.bp_addr;
        struct symbol symbol;

        if (event->source->watches && event->attr.bp_type != HW_BREAKPOINT_X &&
            address >= arch_text_start() && address < arch_text_end() &&
            symbols_find_address(address, &symbol))
            print(
                "perf %s: %s watches the bytes of a function as data; mem:%s:x counts its calls\n",
                command, event->name, symbol.name);
        /* A program's breakpoint is armed only while the program runs. */
        watches |= event->source->watches;
        miscounts |= record_hints_miscounts(event);
        told |= tracepoint_of_event(&event->attr) == &tracepoint_breakpoint_hit;
    }
    if (told && !watches)
        print("perf %s: breakpoint:hit needs a breakpoint, and there is none: add one with -e "
              "mem:ADDR\n",
              command);
    if (miscounts)
        print("perf %s: watches miscount xchg and locked instructions on this machine: start QEMU "
              "with -accel tcg,thread=single\n",
              command);
}

void record_hints_clock(const struct recording_options *recording)
{
    struct event_clock_slowed slowed = event_clock_slowed();
    bool any = false;

    for (unsigned i = 0; i < recording->event_count; i++)
        any |= recording->events[i].source->counts_time;
    if (any && nmi_clock_problem())
        print("cpu-clock: the timer takes the samples, but not where interrupts are off: %s\n",
              nmi_clock_problem());
    if (any && slowed.hertz)
        print("cpu-clock: rate lowered to %u samples a second: one took %llu us, and sampling may "
              "use half of the CPU at most\n",
              slowed.hertz, (unsigned long long)slowed.took / 1000);
}
