/* SPDX-License-Identifier: BSD-2-Clause */
/* Another kernel's timer drives cpu-clock. Called in its interrupt, interrupts off. */
#include "arch/cpu.h"
#include "arch/embed.h"
#include "core/event/source_clock.h"
#include "core/pitot.h"

void pitot_tick(const struct pitot_regs *interrupted)
{
    const struct regs regs = arch_embed_regs(interrupted);

    event_clock_interrupt(&regs, arch_clock_ns());
}
