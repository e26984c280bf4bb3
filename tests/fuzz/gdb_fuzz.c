/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hostile lines: gdb's protocol gets libFuzzer's bytes unchanged, or as the rest of a packet with a
 * valid frame and a valid beginning. For any bytes, the replies are complete packets with valid
 * checksums, within the limit; the target is asked only for what is possible; and read-only memory
 * is unchanged. The target is tests/unit/fake_gdb_target.c, which aborts if asked for something
 * that does not exist. Run by tests/host/fuzz.t (docs/proof.md).
 *
 * links: core/gdb/server.c core/gdb/link.c core/gdb/state.c core/gdb/resume.c core/gdb/query.c core/lib/number.c core/lib/refusal.c core/lib/print.c tests/unit/fake_gdb_target.c tests/fuzz/feed.c
 */
#include <stdlib.h>
#include <string.h>

#include "core/lib/number.h"
#include "tests/fuzz/claim.h"
#include "tests/fuzz/feed.h"
#include "tests/unit/fake_gdb_target.h"

#define LINE_MOST 20000

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static struct gdb_server server;
static uint8_t said[LINE_MOST];
static size_t said_length;

static void say(uint8_t byte)
{
    if (said_length < LINE_MOST)
        said[said_length++] = byte;
}

static const char *const beginnings[] = {
    "",
    "g",
    "G",
    "p",
    "P1=",
    "m1",
    "M1000,4:",
    "x10",
    "X10f0,",
    "c",
    "s",
    "C0",
    "S0",
    "vCont;",
    "vCont;r1000,",
    "vCont;s:",
    "vCont?",
    "Z",
    "z",
    "Z0,10",
    "H",
    "Hg",
    "Hc",
    "T",
    "qSupported:",
    "qXfer:features:read:target.xml:",
    "qXfer:threads:read::",
    "qRcmd,",
    "qThreadExtraInfo,",
    "QStartNoAckMode",
    "D",
    "k",
    "R",
    "?",
    "!",
    "qC",
    "qfThreadInfo",
    "vKill",
    "qSupported:swbreak+",
    "qPitot.Refused",
};

/* A beginning, some of the bytes, sometimes very many, and a frame around them. */
static void say_packet(struct feed *feed)
{
    const char *at = beginnings[feed_byte(feed) % (sizeof(beginnings) / sizeof(beginnings[0]))];
    static const char digits[] = "0123456789abcdef";
    unsigned count = feed_byte(feed) % 40, repeat = feed_byte(feed) > 250 ? 300 : 1;
    uint8_t sum = 0;

    say('$');
    for (; *at; at++) {
        say((uint8_t)*at);
        sum = (uint8_t)(sum + *at);
    }
    for (; count > 0 && !feed_is_empty(feed); count--) {
        uint8_t byte = feed_byte(feed);

        if (byte == '#' || byte == '$')
            byte = '}';
        for (unsigned i = 0; i < repeat; i++) {
            say(byte);
            sum = (uint8_t)(sum + byte);
        }
    }
    say('#');
    say((uint8_t)digits[sum >> 4]);
    say((uint8_t)digits[sum & 15]);
    say('+');
}

/* The replies must be packets, with only acknowledgements between them. */
static void claim_told(void)
{
    const char *at = fake_gdb.told, *end = at + fake_gdb.told_length;

    while (at < end) {
        const char *start = at + 1;
        uint8_t sum = 0;

        if (*at == '+' || *at == '-') {
            at++;
            continue;
        }
        CLAIM(*at == '$');
        for (at++; at < end && *at != '#'; at++) {
            CLAIM(*at != '$');
            sum = (uint8_t)(sum + (uint8_t)*at);
        }
        CLAIM(at - start <= GDB_PACKET_MAX);
        if (end - at < 3) /* the rest did not fit into the recorded line */
            return;
        CLAIM(number_digit(at[1], 16) == sum >> 4 && number_digit(at[2], 16) == (sum & 15));
        at += 3;
    }
}

static void claim_request(void)
{
    const struct gdb_request *request = &server.request;

    if (request->kind == GDB_COMMAND)
        CLAIM(memchr(request->command, '\0', sizeof(request->command)));
    if (request->kind != GDB_RESUME)
        return;
    CLAIM(request->only == GDB_NO_CPU || request->only == 0 || request->only == 2);
    CLAIM(request->all || request->only != GDB_NO_CPU);
    CLAIM(!request->step || request->only != GDB_NO_CPU);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct feed feed = {bytes, size};
    const struct gdb_stop stop = {.cpu = 2, .signal = GDB_SIGNAL_TRAP};

    fake_gdb_reset();
    gdb_server_init(&server, &fake_gdb_line, &fake_gdb_target);
    said_length = 0;
    while (!feed_is_empty(&feed)) {
        if (feed_byte(&feed) % 4)
            say_packet(&feed);
        else
            say(feed_byte(&feed));
    }
    fake_gdb.said = said;
    fake_gdb.said_length = said_length;
    do {
        gdb_server_serve(&server);
        claim_request();
        if (server.request.kind == GDB_COMMAND)
            gdb_server_command_done(&server, 0);
        if (server.request.kind == GDB_RESUME)
            gdb_server_stopped(&server, &stop);
    } while (server.request.kind != GDB_GONE);
    claim_told();
    for (unsigned i = FAKE_MEMORY_SIZE - FAKE_READ_ONLY; i < FAKE_MEMORY_SIZE; i++)
        CLAIM(fake_gdb.memory[i] == i);
    return 0;
}
