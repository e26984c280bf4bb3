/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packets g, G, p and P: registers, in the target's order; m, M, x and X: memory, as digits or as
 * raw bytes; Z and z: points.
 */
#include <linux/errno.h>

#include "core/gdb/server.h"
#include "core/lib/string.h"

#define PART 64 /* bytes read at a time */

/* --- Registers. --- */

static void out_register(struct gdb_server *server, unsigned number)
{
    const struct gdb_target *target = server->target;
    size_t size = target->register_size(number);
    uint8_t bytes[GDB_REGISTER_BYTES];

    if (target->register_read(server->of_registers, number, bytes))
        gdb_out_bytes(&server->link, bytes, size);
    else
        for (size_t i = 0; i < 2 * size; i++)
            gdb_out_char(&server->link, 'x');
}

void gdb_read_registers(struct gdb_server *server, const char *at)
{
    (void)at;
    for (unsigned number = 0; number < server->target->registers(); number++)
        out_register(server, number);
}

static bool find_register(struct gdb_server *server, const char **at, unsigned *number)
{
    uint64_t found;

    if (!hex_number(at, &found) || found >= server->target->registers()) {
        gdb_reply_error(server, "no such register");
        return false;
    }
    *number = (unsigned)found;
    return true;
}

void gdb_read_register(struct gdb_server *server, const char *at)
{
    unsigned number;

    if (find_register(server, &at, &number))
        out_register(server, number);
}

/* A register can always be set to its current value. Leaves an error reply on failure. */
static int set_register(struct gdb_server *server, unsigned number, const uint8_t *bytes)
{
    const struct gdb_target *target = server->target;
    uint8_t now[GDB_REGISTER_BYTES];
    struct refusal why;
    int error;

    if (target->register_read(server->of_registers, number, now) &&
        memcmp(now, bytes, target->register_size(number)) == 0)
        return 0;
    error = target->register_write(server->of_registers, number, bytes, &why);
    if (error)
        gdb_reply_error(server, why.text);
    return error;
}

void gdb_write_register(struct gdb_server *server, const char *at)
{
    uint8_t bytes[GDB_REGISTER_BYTES];
    unsigned number;

    if (!find_register(server, &at, &number))
        return;
    if (*at++ != '=' || !hex_bytes(&at, bytes, server->target->register_size(number)) || *at)
        gdb_reply_error(server, "the value and the register differ in length");
    else if (!set_register(server, number, bytes))
        gdb_reply_ok(server);
}

/* gdb sends x's for unknown registers, which stay unchanged. */
void gdb_write_registers(struct gdb_server *server, const char *at)
{
    for (unsigned number = 0; number < server->target->registers() && *at; number++) {
        size_t size = server->target->register_size(number);
        uint8_t bytes[GDB_REGISTER_BYTES];

        if (*at == 'x') {
            for (size_t i = 0; i < 2 * size && *at; i++)
                at++;
            continue;
        }
        if (!hex_bytes(&at, bytes, size)) {
            gdb_reply_error(server, "the last register is not complete");
            return;
        }
        if (set_register(server, number, bytes))
            return;
    }
    gdb_reply_ok(server);
}

/* --- Memory and points. --- */

static bool find_place(const char **at, uint64_t *address, uint64_t *length)
{
    return hex_number(at, address) && *(*at)++ == ',' && hex_number(at, length);
}

/* Replies with the bytes that can be read and fit into a packet, or with an error if none can. */
void gdb_read_memory(struct gdb_server *server, const char *at)
{
    bool binary = server->link.in[0] == 'x', room = true;
    uint64_t address, length, most = binary ? GDB_PACKET_MAX : GDB_PACKET_MAX / 2, got = 0;
    uint8_t bytes[PART];

    if (!find_place(&at, &address, &length)) {
        gdb_reply_number(server, EINVAL);
        return;
    }
    if (binary)
        gdb_out_char(&server->link, 'b');
    if (length > most)
        length = most;
    while (room && got < length) {
        size_t wanted = length - got < PART ? length - got : PART;
        size_t count = server->target->memory_read(address + got, bytes, wanted);

        if (!binary)
            gdb_out_bytes(&server->link, bytes, count);
        for (size_t i = 0; binary && room && i < count; i++)
            room = gdb_out_binary(&server->link, bytes[i]);
        got += count;
        if (count < wanted)
            break;
    }
    if (got == 0 && length > 0)
        gdb_reply_number(server, EFAULT);
}

static void write_memory(struct gdb_server *server, uint64_t address, const uint8_t *bytes,
                         size_t length)
{
    struct refusal why;

    if (length > 0 && server->target->memory_write(address, bytes, length, &why))
        gdb_reply_error(server, why.text);
    else
        gdb_reply_ok(server);
}

/* Converts the digits to bytes in place. */
void gdb_write_memory(struct gdb_server *server, const char *at)
{
    uint8_t *bytes = (uint8_t *)server->link.in;
    uint64_t address, length;

    if (!find_place(&at, &address, &length) || *at++ != ':' || length > GDB_PACKET_MAX / 2 ||
        !hex_bytes(&at, bytes, length) || *at)
        gdb_reply_error(server, "the length and the bytes differ");
    else
        write_memory(server, address, bytes, length);
}

void gdb_write_binary(struct gdb_server *server, const char *at)
{
    const char *end = server->link.in + server->link.in_length;
    uint64_t address, length;

    if (!find_place(&at, &address, &length) || *at++ != ':' || length != (uint64_t)(end - at))
        gdb_reply_error(server, "the length and the bytes differ");
    else
        write_memory(server, address, (const uint8_t *)at, length);
}

/* "kind,address,length". No conditions or commands follow, as the server advertises neither. */
void gdb_change_point(struct gdb_server *server, const char *at)
{
    bool set = server->link.in[0] == 'Z';
    uint64_t kind, address, length;
    struct refusal why;
    int error;

    if (!hex_number(&at, &kind) || *at++ != ',' || !find_place(&at, &address, &length) || *at) {
        gdb_reply_error(server, "a kind, an address and a length are needed");
        return;
    }
    if (kind >= GDB_POINT_KINDS)
        return;
    why.text[0] = '\0';
    error = server->target->point_change(set, (enum gdb_point)kind, address, length, &why);
    if (error || why.text[0]) {
        server->refused = why;
        server->told_refused = false;
        server->only_noted = !error;
    }
    if (error)
        gdb_reply_error(server, why.text);
    else
        gdb_reply_ok(server);
}
