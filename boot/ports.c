/* SPDX-License-Identifier: BSD-2-Clause */
/* See boot.h. Output is polled, in any context; input arrives in interrupt context. */
#include "boot/boot.h"

#include "arch/x86_64/cpu/port.h"
#include "core/pitot_boot.h"
#include "drivers/power.h"
#include "drivers/uart16550.h"
#include "drivers/virtio_serial.h"
#include "kernel/console/input.h"
#include "kernel/hit/print_guard.h"
#include "kernel/panic/panic.h"

/* Written to isa-debug-exit after a panic; docs/machines.md lists the emulator's exit statuses. */
#define EXIT_PANIC 0x31

/*
 * The debug port whose bytes QEMU (-debugcon) and Bochs (port_e9_hack) print: the last resort
 * without a serial port, harmless on other machines.
 */
#define PORT_E9 0xe9

static struct uart com1, com2;

static void com1_write(struct sink *sink, const char *bytes, size_t length)
{
    (void)sink;
    print_guard_enter();
    uart_send(&com1, bytes, length);
    print_guard_leave();
}

static void com2_write(struct sink *sink, const char *bytes, size_t length)
{
    (void)sink;
    uart_send(&com2, bytes, length);
}

static void port_e9_write(struct sink *sink, const char *bytes, size_t length)
{
    (void)sink;
    for (size_t i = 0; i < length; i++)
        port_write8(PORT_E9, (uint8_t)bytes[i]);
}

static void virtio_write(struct sink *sink, const char *bytes, size_t length)
{
    bool gone = virtio_serial_gone();

    (void)sink;
    virtio_serial_send(bytes, length);
    if (!gone && virtio_serial_gone())
        print("Pitot: the virtio port takes no more: from here on the stream is lost\n");
}

static struct sink com1_sink = {com1_write}, com2_sink = {com2_write},
                   port_e9_sink = {port_e9_write}, virtio_sink = {virtio_write};

static void ports_drain(void)
{
    virtio_serial_drain();
    if (virtio_serial_lost() > 0)
        print("Pitot: the virtio port took no more: %llu bytes of the stream are lost\n",
              (unsigned long long)virtio_serial_lost());
    uart_drain(&com1);
    uart_drain(&com2);
}

static void ports_power(enum pitot_power state)
{
    gdb_exited();
    ports_drain();
    if (state == PITOT_POWER_OFF)
        power_off();
    else
        power_reset();
}

void ports_init(void)
{
    print_set_console(&port_e9_sink);
    if (!uart_init(&com1, UART_COM1))
        panic("no serial port COM1 (0x3f8): Pitot has no console without it");
    com1.text = true;
    print_set_console(&com1_sink);
    print_set_guard(print_guard_enter, print_guard_leave);
    stream_block_set(&com1.sent);
    if (uart_init(&com2, UART_COM2))
        stream_port_set(&com2_sink, &com2.sent);
}

void ports_find_faster(void)
{
    const char *why;

    if (!virtio_serial_find())
        return;
    why = virtio_serial_open();
    if (why) {
        print("Pitot: there is a virtio port, which the stream cannot use: %s\n", why);
        return;
    }
    stream_port_set(&virtio_sink, &virtio_serial_sent);
    print("Pitot: the stream leaves by the virtio port\n");
}

void ports_listen(void)
{
    input_set_resume(uart_resume);
    uart_listen(&com1, UART_COM1_LINE, input_put);
}

struct uart *ports_console(void)
{
    return &com1;
}

static void ports_stop_failed(void)
{
    ports_drain();
    power_exit(EXIT_PANIC);
}

static void ports_limit_waits(void)
{
    uart_limit_waits();
    virtio_serial_limit_waits();
}

const struct panic_machine ports_panic = {.limit_waits = ports_limit_waits,
                                          .console = &com1_sink,
                                          .stop = ports_stop_failed,
                                          .power = ports_power};
