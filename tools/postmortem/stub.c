/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory of a machine behind QEMU's stub for gdb, by `m` packets of gdb's remote protocol (the
 * manual of gdb, "Remote Protocol"). The stub translates addresses as the machine's first CPU does.
 * A machine that runs is stopped by QEMU when somebody connects; one that another debugger holds
 * does not answer. Called by tools/postmortem/main.c.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tools/postmortem/memory.h"

#define PACKET_MAX  4096 /* QEMU's; a reply of memory has two digits a byte */
#define MEMORY_MAX  (PACKET_MAX / 2 - 8)
#define PATIENCE_MS 5000

static struct {
    struct memory memory;
    int socket;
    char input[PACKET_MAX];
    size_t input_length, input_read;
    char reply[PACKET_MAX + 1]; /* the last packet's body, a string */
    size_t reply_length;
} stub;

/* The next byte, or -1. */
static int next_byte(void)
{
    struct pollfd wait = {.fd = stub.socket, .events = POLLIN};

    if (stub.input_read == stub.input_length) {
        if (poll(&wait, 1, PATIENCE_MS) != 1)
            return -1;
        ssize_t length = recv(stub.socket, stub.input, sizeof(stub.input), 0);
        if (length <= 0)
            return -1;
        stub.input_length = (size_t)length;
        stub.input_read = 0;
    }
    return (unsigned char)stub.input[stub.input_read++];
}

static bool send_all(const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t sent = send(stub.socket, bytes, length, MSG_NOSIGNAL);

        if (sent <= 0)
            return false;
        bytes += sent;
        length -= (size_t)sent;
    }
    return true;
}

static bool put_packet(const char *body)
{
    char packet[64];
    unsigned char sum = 0;

    for (const char *at = body; *at; at++)
        sum = (unsigned char)(sum + (unsigned char)*at);
    int length = snprintf(packet, sizeof(packet), "$%s#%02x", body, sum);
    return send_all(packet, (size_t)length);
}

/*
 * The next packet's body into `reply`. The socket loses nothing, so checksums are stepped over; run
 * lengths, which QEMU does not send, are not understood.
 */
static bool get_packet(void)
{
    int byte;

    do {
        byte = next_byte();
    } while (byte >= 0 && byte != '$');
    stub.reply_length = 0;
    while ((byte = next_byte()) >= 0 && byte != '#' && stub.reply_length < PACKET_MAX)
        stub.reply[stub.reply_length++] = (char)byte;
    stub.reply[stub.reply_length] = '\0';
    return byte == '#' && next_byte() >= 0 && next_byte() >= 0 && send_all("+", 1);
}

/* Asks until the reply begins so: that a machine has just stopped is told unasked. */
static bool ask(const char *body, const char *begins)
{
    if (!put_packet(body))
        return false;
    do {
        if (!get_packet())
            return false;
    } while (strncmp(stub.reply, begins, strlen(begins)) != 0);
    return true;
}

static bool take_bytes(uint8_t *to, size_t size)
{
    if (stub.reply_length != 2 * size)
        return false; /* E14: not mapped */
    for (size_t i = 0; i < size; i++) {
        const char digits[3] = {stub.reply[2 * i], stub.reply[2 * i + 1], '\0'};
        char *end;

        to[i] = (uint8_t)strtoul(digits, &end, 16);
        if (*end != '\0')
            return false;
    }
    return true;
}

static bool stub_read(struct memory *memory, uint64_t address, void *to, size_t size)
{
    char body[48];

    (void)memory;
    while (size > 0) {
        size_t part = size < MEMORY_MAX ? size : MEMORY_MAX;

        snprintf(body, sizeof(body), "m%llx,%zx", (unsigned long long)address, part);
        if (!put_packet(body) || !get_packet() || !take_bytes(to, part))
            return false;
        address += part;
        to = (char *)to + part;
        size -= part;
    }
    return true;
}

static bool stub_close(struct memory *memory, bool go_on)
{
    bool done = !go_on || ask("D", "OK");

    if (!done)
        complain(memory->path, "the machine was not let go: the stub did not say OK");
    close(stub.socket);
    return done;
}

/* Whoever is stopped says how; the second question's answer is no other's. */
static bool is_stopped(const char *path)
{
    if (!put_packet("?") || !get_packet())
        return complain(path,
                        "no answer within %u s: the machine runs, or another debugger has it "
                        "(stop it there; `monitor dump-guest-memory FILE` works there, too)",
                        PATIENCE_MS / 1000);
    if (stub.reply[0] != 'T' && stub.reply[0] != 'S')
        return complain(path, "\"%.20s\" is no stop of a machine: it runs, or that is no stub",
                        stub.reply);
    return ask("qC", "QC") || complain(path, "the stub has stopped answering");
}

static int connect_to(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int result = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (strlen(path) >= sizeof(address.sun_path)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(address.sun_path, path);
    if (result >= 0 && connect(result, (struct sockaddr *)&address, sizeof(address)) == 0)
        return result;
    return -1;
}

struct memory *stub_open(const char *path)
{
    stub.memory = (struct memory){.path = path, .read = stub_read, .close = stub_close};
    stub.socket = connect_to(path);
    if (stub.socket < 0) {
        complain(path, "no stub of QEMU's listens there: %s", strerror(errno));
        return NULL;
    }
    if (!is_stopped(path)) {
        close(stub.socket);
        return NULL;
    }
    return &stub.memory;
}
