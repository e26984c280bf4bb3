/* SPDX-License-Identifier: BSD-2-Clause */
/* See boot.h: lines of I/O APICs, and the NMI clock by one. */
#include "boot/boot.h"

#include <stddef.h>

#include "arch/x86_64/entry/trap.h"
#include "core/pitot_boot.h"
#include "drivers/acpi.h"
#include "drivers/hpet.h"
#include "drivers/ioapic.h"
#include "drivers/pit8254.h"
#include "kernel/x86_64/cpu/apic.h"
#include "kernel/x86_64/memory/paging.h"

static volatile void *mapped[ACPI_IO_APICS_MAX]; /* registers */

bool io_apic_find(unsigned line, struct io_apic_line *found)
{
    const struct acpi *acpi = cpus_acpi();

    for (size_t i = 0; i < acpi->io_apic_count; i++) {
        uint32_t first = acpi->io_apics[i].first;

        if (!mapped[i])
            mapped[i] = paging_map_device(acpi->io_apics[i].address);
        if (mapped[i] && line >= first && line - first < ioapic_lines(mapped[i])) {
            *found = (struct io_apic_line){mapped[i], line - first};
            return true;
        }
    }
    return false;
}

#define ISA_LINES 16

/* The I/O APIC input of the HPET; set at boot. */
static struct io_apic_line line_in;
static uint32_t to; /* APIC ID of this CPU; set at boot */

/*
 * The line is masked while unused, so that no other interrupt on it is served, and unmasked before
 * the first signal: it stays high until the signal is served, and would have no second edge.
 */
static void nmi_clock_set_hpet(unsigned hertz)
{
    nmi_clock_lingers();
    apic_set_button(hertz > 0);
    if (hertz > 0)
        ioapic_send_nmi(line_in.registers, line_in.line, to);
    hpet_set_rate(hertz);
    if (hertz == 0)
        ioapic_mask(line_in.registers, line_in.line);
}

/*
 * Returns a line that no ISA device uses, or the line of interrupt 0, because its timer can be
 * stopped. 0: there is none.
 */
static unsigned best_line(uint32_t possible, uint32_t timer_line)
{
    for (unsigned line = ISA_LINES; line < 32; line++)
        if (possible >> line & 1)
            return line;
    return timer_line < ISA_LINES && possible >> timer_line & 1 ? timer_line : 0;
}

static const char *problem(const struct acpi *acpi)
{
    volatile void *registers;
    const char *why;
    unsigned line;

    if (!apic_registers() || acpi->io_apic_count == 0)
        return "no I/O APIC";
    if (acpi->hpet_address == 0)
        return "no HPET";
    registers = paging_map_device(acpi->hpet_address);
    if (!registers)
        return "no address for the HPET";
    why = hpet_init(registers);
    if (why)
        return why;
    line = best_line(hpet_possible_lines(), acpi->timer_line);
    if (line == 0)
        return "no line for the HPET's interrupt";
    hpet_set_line(line);
    pit_stop(); /* it may use the same line */
    return io_apic_find(line, &line_in) ? NULL : "no I/O APIC has the HPET's line";
}

bool nmi_clock_find(void)
{
    static const struct nmi_clock clock = {hpet_came, nmi_clock_interrupt};
    const char *why = problem(cpus_acpi());

    if (why) {
        nmi_clock_missing(why);
        return false;
    }
    to = apic_id();
    nmi_set_clock(&clock);
    nmi_clock_start(nmi_clock_set_hpet, hpet_slow_down);
    return true;
}
