/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How the machine ends. Panic: reports the reason, registers, call chain and last samples, then
 * stops the machine. Crash context: any stack, any lock held; takes no lock, allocates nothing,
 * prints by polling.
 */
#pragma once

#include "arch/regs.h"
#include "core/lib/print.h"
#include "core/pitot.h"

__attribute__((format(printf, 1, 2))) _Noreturn void panic(const char *format, ...);

/* Operations of the machine at its end; each may be NULL. */
struct panic_machine {
    void (*limit_waits)(void); /* called first: from then on output must not wait for ever */
    struct sink *console;      /* the machine's own, for a failure in the report, because
                                * print()'s output, such as a debugger, may be what failed */
    void (*stop)(void);        /* called last: ends an emulator, for example; may return */
    void (*power)(enum pitot_power state); /* for power_request. Task context; may return */
};

/* Makes unexpected exceptions panic. Boot. */
void panic_init(const struct panic_machine *with);

void panic_print_chain(const struct regs *regs);

/* Powers the machine off or resets it. Returns only if it did not comply. Task context. */
void power_request(enum pitot_power state);

/*
 * The watchdog: watchdog=SECONDS reports, once per stall, a CPU that serves no timer interrupt for
 * so long (docs/crash.md). Starts to watch all CPUs, or reports why it cannot. Boot.
 */
void watchdog_init(void);
