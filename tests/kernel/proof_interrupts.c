/* SPDX-License-Identifier: BSD-2-Clause */
/* See proof_interrupts.h. */
#include "tests/kernel/proof_interrupts.h"

#include "arch/x86_64/cpu/port.h"
#include "arch/x86_64/entry/trap.h"
#include "kernel/x86_64/cpu/apic.h"

/* Register offsets in the page. */
#define APIC_ID           0x20
#define APIC_END          0xb0
#define APIC_TIMER        0x320
#define APIC_COMMAND      0x300
#define APIC_COMMAND_HIGH 0x310

#define COMMAND_SELF   (1u << 18) /* shorthand, for fixed interrupts only */
#define COMMAND_ASSERT (1u << 14)
#define COMMAND_NMI    (4u << 8)

#define TIMER_MASKED (1u << 16)

#define MASTER_DATA 0x21
#define SLAVE_DATA  0xa1

bool nmi_take(volatile uint32_t *command_register, uint32_t command); /* proof_nmi.asm */
_Noreturn void nmi_leave(void);

static uint8_t masked_before[2];
static uint32_t timer_before;

static volatile uint32_t *apic(unsigned offset)
{
    return (volatile uint32_t *)((volatile char *)apic_registers() + offset);
}

static void lines_mask(void)
{
    masked_before[0] = port_read8(MASTER_DATA);
    masked_before[1] = port_read8(SLAVE_DATA);
    port_write8(MASTER_DATA, 0xff);
    port_write8(SLAVE_DATA, 0xff);
}

bool interrupts_prepare(trap_handler *nmi)
{
    if (!apic_registers())
        return false;
    lines_mask();
    timer_before = *apic(APIC_TIMER);
    *apic(APIC_TIMER) = timer_before | TIMER_MASKED;
    trap_set_handler(VECTOR_NMI, nmi);
    return true;
}

void interrupts_restore(void)
{
    trap_set_handler(VECTOR_NMI, NULL);
    *apic(APIC_TIMER) = timer_before;
    port_write8(MASTER_DATA, masked_before[0]);
    port_write8(SLAVE_DATA, masked_before[1]);
}

void interrupts_raise(unsigned vector)
{
    *apic(APIC_COMMAND) = COMMAND_SELF | COMMAND_ASSERT | vector;
}

void interrupts_end(void)
{
    *apic(APIC_END) = 0;
}

/* The shorthand for "self" does not work for NMIs, so they are sent to this CPU's number. */
bool interrupts_nmi_now_and_then(void)
{
    const uint32_t command = COMMAND_NMI | COMMAND_ASSERT;

    *apic(APIC_COMMAND_HIGH) = *apic(APIC_ID);
    if (!nmi_take(apic(APIC_COMMAND), command))
        return false;
    *apic(APIC_COMMAND) = command;
    return true;
}

_Noreturn void interrupts_leave_nmi(void)
{
    nmi_leave();
}
