/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets g, G, p and P: registers, in the target's order. See packets.h. */
#include "core/gdb/hex.h"
#include "core/gdb/packets.h"
#include "core/lib/string.h"

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
