/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See boot.h. While no gdb is attached at a port, the port's line reaches the boot CPU through the
 * 8259, as an ordinary interrupt. While gdb is attached, it does so through the I/O APIC, as an
 * NMI. Contexts are those of struct gdb_door.
 */
#include "boot/boot.h"

#include "arch/cpu.h"
#include "arch/regs.h"
#include "core/lib/string.h"
#include "core/pitot.h"
#include "core/pitot_boot.h"
#include "drivers/ioapic.h"
#include "drivers/pic8259.h"
#include "drivers/uart16550.h"
#include "kernel/cmdline.h"
#include "kernel/x86_64/cpu/apic.h"

/* Set at boot. */
static struct port {
    struct uart *uart;
    unsigned number;          /* of its interrupt line */
    struct io_apic_line line; /* registers is NULL if no I/O APIC has the line */
} com1 = {.number = UART_COM1_LINE}, com3 = {.number = UART_COM3_LINE};
static uint32_t boot_cpu; /* its APIC ID */

/* The port that gdb has opened: set by `open`, which is called before the other functions. */
static const struct port *attached;

static int attached_get(void)
{
    int byte;

    while ((byte = uart_poll(attached->uart)) < 0)
        arch_relax();
    return byte;
}

static void attached_put(const char *bytes, size_t length)
{
    uart_send(attached->uart, bytes, length);
}

static bool attached_ready(void)
{
    return uart_ready(attached->uart);
}

static int attached_poll(void)
{
    return uart_poll(attached->uart);
}

static void attached_listen(bool on)
{
    uart_interrupts(attached->uart, on);
}

static const char *port_open(const struct port *port)
{
    attached = port;
    port->uart->patient = true;
    pic_mask(port->number);
    if (!port->line.registers)
        return "no I/O APIC has its line";
    ioapic_send_nmi(port->line.registers, port->line.line, boot_cpu);
    return NULL;
}

static const char *com1_open(void)
{
    return port_open(&com1);
}

static const char *com3_open(void)
{
    return port_open(&com3);
}

/* Leaves interrupts on, for the console or another gdb. */
static void attached_close(void)
{
    attached->uart->patient = false;
    if (attached->line.registers)
        ioapic_mask(attached->line.registers, attached->line.line);
    pic_unmask(attached->number);
    uart_interrupts(attached->uart, true);
}

static const struct gdb_door com1_door = {.name = "COM1",
                                          .line = {attached_get, attached_put, attached_ready},
                                          .poll = attached_poll,
                                          .listen = attached_listen,
                                          .open = com1_open,
                                          .close = attached_close,
                                          .lends_console = true};

static const struct gdb_door com3_door = {.name = "COM3",
                                          .line = {attached_get, attached_put, attached_ready},
                                          .poll = attached_poll,
                                          .listen = attached_listen,
                                          .open = com3_open,
                                          .close = attached_close};

/* Called while no gdb is attached. Once a packet begins, the stub reads the rest of it. */
static void com3_interrupt(struct regs *regs)
{
    int byte;

    while ((byte = uart_poll(com3.uart)) >= 0)
        if (gdb_arrived((uint8_t)byte, regs))
            return;
}

/* gdb=wait on the command line. */
static void wait_if_asked(void)
{
    char value[16];
    char *words[] = {(char[]){"gdb"}, NULL};

    if (!cmdline_value("gdb", value, sizeof(value)))
        return;
    if (strcmp(value, "wait") == 0)
        pitot_run_words(1, words);
    else
        print("gdb=%s: gdb=wait is allowed\n", value);
}

void gdb_door_init(void)
{
    static struct uart own;
    bool has_com3 = uart_init(&own, UART_COM3);

    com1.uart = ports_console();
    com3.uart = &own;
    if (apic_registers()) {
        boot_cpu = apic_id();
        io_apic_find(com1.number, &com1.line);
        io_apic_find(com3.number, &com3.line);
    }
    gdb_init(has_com3 ? &com3_door : NULL, &com1_door);
    if (has_com3) {
        pic_connect(com3.number, "gdb", com3_interrupt);
        uart_interrupts(com3.uart, true);
    }
    wait_if_asked();
}
