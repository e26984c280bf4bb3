/* SPDX-License-Identifier: BSD-2-Clause */
/* See apic.h. */
#include "kernel/x86_64/cpu/apic.h"

#include "arch/cpu.h"
#include "arch/memory.h"
#include "arch/x86_64/entry/trap.h"

/* Register offsets: "Local APIC Register Address Map". */
#define ID             0x020
#define END            0x0b0
#define SPURIOUS       0x0f0
#define REQUESTED      0x200 /* 8 registers of 32 vectors, 16 bytes apart */
#define COMMAND        0x300
#define COMMAND_TO     0x310
#define LOCAL_TIMER    0x320
#define LOCAL_PIN0     0x350
#define LOCAL_PIN1     0x360
#define TIMER_INITIAL  0x380
#define TIMER_CURRENT  0x390
#define TIMER_DIVISION 0x3e0

#define SPURIOUS_ENABLE (1u << 8)

/* "Interrupt Command Register" */
#define COMMAND_NMI     (4u << 8)
#define COMMAND_INIT    (5u << 8)
#define COMMAND_STARTUP (6u << 8)
#define COMMAND_PENDING (1u << 12)
#define COMMAND_ASSERT  (1u << 14)
#define COMMAND_LEVEL   (1u << 15)
#define TO_SHIFT        24

/* "Local Vector Table" */
#define LOCAL_NMI      (4u << 8)
#define LOCAL_EXTINT   (7u << 8)
#define LOCAL_MODE     (7u << 8)
#define LOCAL_MASKED   (1u << 16)
#define LOCAL_PERIODIC (1u << 17)

#define DIVIDE_BY_16 3

#define SEND_PATIENCE  1000000u
#define CALIBRATION_NS 2000000ull
#define HELD_UP_NS     (CALIBRATION_NS / 1000) /* a reading that takes longer is repeated */
#define LOOKS_MOST     100

static volatile uint8_t *registers; /* set at boot */
static uint64_t timer_hertz;        /* set at boot */
static uint32_t boot_id;            /* set at boot, like the next two */
static unsigned button_pin;         /* LOCAL_PIN0 or LOCAL_PIN1; 0: neither delivers NMIs */
static uint32_t button_nmi;         /* the pin's value for NMIs */
static uint32_t button_wanted;      /* what the pin should hold; changed with all CPUs parked */

static uint32_t apic_read(unsigned offset)
{
    return *(volatile uint32_t *)(registers + offset);
}

static void apic_write(unsigned offset, uint32_t value)
{
    *(volatile uint32_t *)(registers + offset) = value;
}

void apic_init(volatile void *mapped)
{
    registers = mapped;
}

volatile void *apic_registers(void)
{
    return registers;
}

static void apic_find_button(void)
{
    static const unsigned pins[] = {LOCAL_PIN0, LOCAL_PIN1};

    boot_id = apic_id();
    for (unsigned i = 0; i < sizeof(pins) / sizeof(*pins); i++) {
        uint32_t pin = apic_read(pins[i]);

        if ((pin & LOCAL_MODE) != LOCAL_NMI || pin & LOCAL_MASKED)
            continue;
        button_pin = pins[i];
        button_nmi = button_wanted = pin;
    }
}

void apic_button_follow(void)
{
    if (button_pin && apic_id() == boot_id && apic_read(button_pin) != button_wanted)
        apic_write(button_pin, button_wanted);
}

void apic_set_button(bool by_vector)
{
    button_wanted = by_vector ? VECTOR_APIC_BUTTON : button_nmi;
    apic_button_follow();
}

bool apic_button_is_pressed(void)
{
    return button_pin &&
           apic_read(REQUESTED + VECTOR_APIC_BUTTON / 32 * 16) >> VECTOR_APIC_BUTTON % 32 & 1;
}

/* A disabled APIC masks its pins ("Local APIC State After It Has Been Software Disabled"). */
void apic_enable(bool boot_cpu)
{
    bool was_enabled = apic_read(SPURIOUS) & SPURIOUS_ENABLE;

    apic_write(SPURIOUS, SPURIOUS_ENABLE | VECTOR_APIC_SPURIOUS);
    if (!boot_cpu) {
        apic_write(LOCAL_PIN0, LOCAL_MASKED);
        apic_write(LOCAL_PIN1, LOCAL_MASKED);
        return;
    }
    if (!was_enabled) {
        apic_write(LOCAL_PIN0, LOCAL_EXTINT);
        apic_write(LOCAL_PIN1, LOCAL_NMI);
    }
    apic_find_button();
}

uint32_t apic_id(void)
{
    return apic_read(ID) >> TO_SHIFT;
}

static void apic_wait(void)
{
    for (unsigned patience = SEND_PATIENCE; patience > 0; patience--)
        if (!(apic_read(COMMAND) & COMMAND_PENDING))
            return;
}

/* Two writes, with interrupts off; an NMI that sends a command in between restores the first. */
static void apic_command(uint32_t to, uint32_t command)
{
    uint64_t flags = arch_irq_save();
    uint32_t interrupted;

    apic_wait();
    interrupted = apic_read(COMMAND_TO);
    apic_write(COMMAND_TO, to << TO_SHIFT);
    apic_write(COMMAND, command);
    apic_wait();
    apic_write(COMMAND_TO, interrupted);
    arch_irq_restore(flags);
}

void apic_send(uint32_t to, uint8_t vector)
{
    apic_command(to, COMMAND_ASSERT | vector);
}

void apic_send_nmi(uint32_t to)
{
    apic_command(to, COMMAND_ASSERT | COMMAND_NMI);
}

void apic_send_init(uint32_t to)
{
    apic_command(to, COMMAND_LEVEL | COMMAND_ASSERT | COMMAND_INIT);
    apic_command(to, COMMAND_LEVEL | COMMAND_INIT);
}

void apic_send_startup(uint32_t to, uint32_t page)
{
    apic_command(to, COMMAND_ASSERT | COMMAND_STARTUP | page / PAGE_SIZE);
}

void apic_end(void)
{
    apic_write(END, 0);
}

/* Reads counter and clock together, again if the machine was held up between the two reads. */
static uint32_t apic_timer_look(uint64_t *when)
{
    for (unsigned looks = 0;; looks++) {
        uint64_t before = arch_clock_ns();
        uint32_t count = apic_read(TIMER_CURRENT);

        *when = arch_clock_ns();
        if (*when - before < HELD_UP_NS || looks == LOOKS_MOST)
            return count;
    }
}

/* The timer counts down with its interrupt masked. */
void apic_timer_calibrate(void)
{
    uint64_t start, now;
    uint32_t first, count;

    apic_write(TIMER_DIVISION, DIVIDE_BY_16);
    apic_write(LOCAL_TIMER, LOCAL_MASKED);
    apic_write(TIMER_INITIAL, UINT32_MAX);
    first = apic_timer_look(&start);
    do {
        arch_relax();
        count = apic_timer_look(&now);
    } while (now - start < CALIBRATION_NS);
    timer_hertz = (uint64_t)(first - count) * 1000000000 / (now - start);
    apic_write(TIMER_INITIAL, 0);
}

void apic_timer_set_rate(unsigned hertz)
{
    apic_write(TIMER_DIVISION, DIVIDE_BY_16);
    apic_write(LOCAL_TIMER, LOCAL_PERIODIC | VECTOR_APIC_TIMER);
    apic_write(TIMER_INITIAL, (uint32_t)(timer_hertz / hertz));
}
