/* SPDX-License-Identifier: BSD-2-Clause */
/* See pic8259.h. */
#include "drivers/pic8259.h"

#include <stddef.h>

#include "arch/x86_64/cpu/port.h"
#include "arch/x86_64/entry/trap.h"

#define MASTER_COMMAND 0x20
#define MASTER_DATA    0x21
#define SLAVE_COMMAND  0xa0
#define SLAVE_DATA     0xa1

#define ICW1_INIT            0x11 /* edge triggered, cascaded, ICW4 follows */
#define ICW4_8086            0x01
#define OCW2_END             0x20 /* non-specific end of interrupt */
#define OCW3_READ_IN_SERVICE 0x0b

#define CASCADE_LINE  2
#define LINES         16
#define SPURIOUS_LINE 7 /* of either controller */

static struct {
    const char *name;
    trap_handler *handler; /* NULL: no device; set before the line is unmasked */
} devices[LINES];
static pic_server *serve; /* set at boot */

/* A line that falls before its acknowledgement arrives as 7 or 15, without an in-service bit. */
static bool pic_is_spurious(unsigned line)
{
    uint16_t command = line < 8 ? MASTER_COMMAND : SLAVE_COMMAND;

    if (line % 8 != SPURIOUS_LINE)
        return false;
    port_write8(command, OCW3_READ_IN_SERVICE);
    return !(port_read8(command) & (1u << SPURIOUS_LINE));
}

static void pic_serve(struct regs *regs)
{
    unsigned line = (unsigned)(regs->vector - VECTOR_FIRST_INTERRUPT);

    if (pic_is_spurious(line)) {
        if (line >= 8)
            port_write8(MASTER_COMMAND, OCW2_END); /* the master has seen its cascade line */
        return;
    }
    if (devices[line].handler && serve)
        serve(line, devices[line].name, devices[line].handler, regs);
    else if (devices[line].handler)
        devices[line].handler(regs);
    if (line >= 8)
        port_write8(SLAVE_COMMAND, OCW2_END);
    port_write8(MASTER_COMMAND, OCW2_END);
}

void pic_init(void)
{
    port_write8(MASTER_COMMAND, ICW1_INIT);
    port_write8(SLAVE_COMMAND, ICW1_INIT);
    port_write8(MASTER_DATA, VECTOR_FIRST_INTERRUPT);
    port_write8(SLAVE_DATA, VECTOR_FIRST_INTERRUPT + 8);
    port_write8(MASTER_DATA, 1u << CASCADE_LINE);
    port_write8(SLAVE_DATA, CASCADE_LINE);
    port_write8(MASTER_DATA, ICW4_8086);
    port_write8(SLAVE_DATA, ICW4_8086);
    port_write8(MASTER_DATA, 0xff);
    port_write8(SLAVE_DATA, 0xff);
    for (unsigned line = 0; line < LINES; line++)
        trap_set_handler(VECTOR_FIRST_INTERRUPT + line, pic_serve);
}

void pic_set_server(pic_server *server)
{
    serve = server;
}

void pic_mask(unsigned line)
{
    uint16_t data = line < 8 ? MASTER_DATA : SLAVE_DATA;

    port_write8(data, port_read8(data) | (uint8_t)(1u << line % 8));
}

void pic_unmask(unsigned line)
{
    uint16_t data = line < 8 ? MASTER_DATA : SLAVE_DATA;

    port_write8(data, port_read8(data) & (uint8_t) ~(1u << line % 8));
}

/* The cascade line is masked until needed: in QEMU it is also line 2 of the I/O APIC. */
void pic_connect(unsigned line, const char *name, trap_handler *handler)
{
    devices[line].name = name;
    devices[line].handler = handler;
    pic_unmask(line);
    if (line >= 8)
        pic_unmask(CASCADE_LINE);
}
