/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See gdb_door.h. While no gdb is attached at a port, the port's line reaches the boot CPU through
 * the 8259, as an ordinary interrupt; while one is, through the I/O APIC, as an NMI. The contexts
 * of a door's functions are stated at struct gdb_door.
 */
#include "boot/gdb_door.h"

#include "arch/cpu.h"
#include "arch/regs.h"
#include "arch/x86_64/cpu/apic.h"
#include "boot/io_apic.h"
#include "boot/ports.h"
#include "core/gdb/debugger.h"
#include "drivers/ioapic.h"
#include "drivers/pic8259.h"
#include "drivers/uart16550.h"
#include "kernel/gdb/command.h"
#include "kernel/gdb/monitor.h"
#include "kernel/panic/panic.h"

static struct uart com3;
static struct uart *com1; /* the console's; set at boot */
static uint32_t boot_cpu; /* its APIC ID; set at boot */

/* The ports' lines at an I/O APIC; registers is NULL if none has the line. Set at boot. */
static struct io_apic_line com1_line, com3_line;

static int wait_for_byte(struct uart *uart)
{
    int byte;

    while ((byte = uart_poll(uart)) < 0)
        arch_relax();
    return byte;
}

static const char *line_open(const struct io_apic_line *line, unsigned number)
{
    pic_mask(number);
    if (!line->registers)
        return "no I/O APIC has its line";
    ioapic_send_nmi(line->registers, line->line, boot_cpu);
    return NULL;
}

static void line_close(const struct io_apic_line *line, unsigned number)
{
    if (line->registers)
        ioapic_mask(line->registers, line->line);
    pic_unmask(number);
}

/* --- COM3. --- */

static int com3_get(void)
{
    return wait_for_byte(&com3);
}

static void com3_put(const char *bytes, size_t length)
{
    uart_send(&com3, bytes, length);
}

static bool com3_ready(void)
{
    return uart_ready(&com3);
}

static int com3_poll(void)
{
    return uart_poll(&com3);
}

static void com3_listen(bool on)
{
    uart_interrupts(&com3, on);
}

static const char *com3_open(void)
{
    com3.patient = true;
    return line_open(&com3_line, UART_COM3_LINE);
}

/* Leaves interrupts on, so that another gdb can attach. */
static void com3_close(void)
{
    line_close(&com3_line, UART_COM3_LINE);
    uart_interrupts(&com3, true);
}

static const struct gdb_door com3_door = {.name = "COM3",
                                          .line = {com3_get, com3_put, com3_ready},
                                          .poll = com3_poll,
                                          .listen = com3_listen,
                                          .open = com3_open,
                                          .close = com3_close};

/* Called while no gdb is attached. Once a packet begins, the stub reads the rest of it. */
static void com3_interrupt(struct regs *regs)
{
    int byte;

    while ((byte = uart_poll(&com3)) >= 0)
        if (gdb_arrived((uint8_t)byte, regs))
            return;
}

/* --- COM1, which the console lends. --- */

static int com1_get(void)
{
    return wait_for_byte(com1);
}

static void com1_put(const char *bytes, size_t length)
{
    uart_send(com1, bytes, length);
}

static bool com1_ready(void)
{
    return uart_ready(com1);
}

static int com1_poll(void)
{
    return uart_poll(com1);
}

static void com1_listen(bool on)
{
    uart_interrupts(com1, on);
}

static const char *com1_open(void)
{
    com1->patient = true;
    return line_open(&com1_line, UART_COM1_LINE);
}

static void com1_close(void)
{
    com1->patient = false;
    line_close(&com1_line, UART_COM1_LINE);
    uart_interrupts(com1, true);
}

static const struct gdb_door com1_door = {.name = "COM1",
                                          .line = {com1_get, com1_put, com1_ready},
                                          .poll = com1_poll,
                                          .listen = com1_listen,
                                          .open = com1_open,
                                          .close = com1_close,
                                          .lends_console = true};

void gdb_door_init(void)
{
    bool has_com3 = uart_init(&com3, UART_COM3);

    com1 = ports_console();
    if (apic_registers()) {
        boot_cpu = apic_id();
        io_apic_find(UART_COM1_LINE, &com1_line);
        io_apic_find(UART_COM3_LINE, &com3_line);
    }
    panic_set_debugger(gdb_panicked);
    gdb_init(has_com3 ? &com3_door : NULL, &com1_door, &gdb_commands);
    if (has_com3) {
        pic_connect(UART_COM3_LINE, com3_interrupt);
        uart_interrupts(&com3, true);
    }
    gdb_wait();
}
