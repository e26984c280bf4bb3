/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets Z and z: points at which CPUs stop. See packets.h. */
#include "core/gdb/hex.h"
#include "core/gdb/packets.h"

typedef int change(enum gdb_point kind, uint64_t address, uint64_t length, struct refusal *why);

/* "kind,address,length". Conditions and commands after it are not advertised, so gdb sends none. */
static void change_point(struct gdb_server *server, const char *at, change *how)
{
    uint64_t kind, address, length;
    struct refusal why;

    if (!hex_number(&at, &kind) || *at++ != ',' || !hex_number(&at, &address) || *at++ != ',' ||
        !hex_number(&at, &length) || *at) {
        gdb_reply_error(server, "a kind, an address and a length are needed");
        return;
    }
    if (kind >= GDB_POINT_KINDS)
        return;
    if (how((enum gdb_point)kind, address, length, &why)) {
        server->refused = why;
        server->told_refused = false;
        gdb_reply_error(server, why.text);
        return;
    }
    gdb_reply_ok(server);
}

void gdb_set_point(struct gdb_server *server, const char *at)
{
    change_point(server, at, server->target->point_set);
}

void gdb_clear_point(struct gdb_server *server, const char *at)
{
    change_point(server, at, server->target->point_clear);
}
