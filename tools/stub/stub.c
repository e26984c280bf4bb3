/* SPDX-License-Identifier: BSD-2-Clause */
/* See stub.h. */
#include "tools/stub/stub.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define MEMORY_MAX (STUB_PACKET_MAX / 2 - 8)

__attribute__((format(printf, 2, 3))) static bool fail(struct stub *stub, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(stub->why, sizeof(stub->why), format, arguments);
    va_end(arguments);
    return false;
}

/* --- Bytes. --- */

/* Whether there is one more to be read. A signal's handler says by itself what is to be done. */
static enum stub_result wait_input(struct stub *stub, int patience_ms)
{
    struct pollfd wait = {.fd = stub->socket, .events = POLLIN};
    int ready;

    if (stub->input_read < stub->input_length)
        return STUB_PACKET;
    do
        ready = poll(&wait, 1, patience_ms);
    while (ready < 0 && errno == EINTR);
    if (ready != 1)
        return STUB_NOTHING;
    ssize_t length = recv(stub->socket, stub->input, sizeof(stub->input), 0);
    if (length <= 0)
        return STUB_ENDED;
    stub->input_length = (size_t)length;
    stub->input_read = 0;
    return STUB_PACKET;
}

/* The next byte, or -1: the rest of a packet follows its beginning at once. */
static int next_byte(struct stub *stub)
{
    if (wait_input(stub, STUB_PATIENCE_MS) != STUB_PACKET)
        return -1;
    return (unsigned char)stub->input[stub->input_read++];
}

static bool send_all(struct stub *stub, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t sent = send(stub->socket, bytes, length, MSG_NOSIGNAL);

        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return fail(stub, "the stub has gone");
        bytes += sent;
        length -= (size_t)sent;
    }
    return true;
}

/* --- Packets. --- */

bool stub_put(struct stub *stub, const char *body)
{
    char packet[256];
    unsigned char sum = 0;

    for (const char *at = body; *at; at++)
        sum = (unsigned char)(sum + (unsigned char)*at);
    int length = snprintf(packet, sizeof(packet), "$%s#%02x", body, sum);
    return send_all(stub, packet, (size_t)length);
}

bool stub_interrupt(struct stub *stub)
{
    return send_all(stub, "\x03", 1);
}

/*
 * The socket loses nothing, so checksums are stepped over; run lengths, which QEMU does not send,
 * are not understood.
 */
enum stub_result stub_get(struct stub *stub, int patience_ms)
{
    enum stub_result result;
    int byte;

    do {
        result = wait_input(stub, patience_ms);
        if (result != STUB_PACKET)
            return result;
    } while (stub->input[stub->input_read++] != '$');
    stub->reply_length = 0;
    while ((byte = next_byte(stub)) >= 0 && byte != '#' && stub->reply_length < STUB_PACKET_MAX)
        stub->reply[stub->reply_length++] = (char)byte;
    stub->reply[stub->reply_length] = '\0';
    if (byte != '#' || next_byte(stub) < 0 || next_byte(stub) < 0)
        return STUB_ENDED;
    /* A machine that was let go may have ended since it answered, and the answer counts. */
    (void)send_all(stub, "+", 1);
    return STUB_PACKET;
}

bool stub_ask(struct stub *stub, const char *body, const char *begins)
{
    if (!stub_put(stub, body))
        return false;
    do {
        if (stub_get(stub, STUB_PATIENCE_MS) != STUB_PACKET)
            return fail(stub, "the stub has stopped answering");
        if (stub->reply_length == 0 || stub->reply[0] == 'E')
            return fail(stub, "the stub refuses \"%s\"", body);
    } while (strncmp(stub->reply, begins, strlen(begins)) != 0);
    return true;
}

bool stub_reply_bytes(const struct stub *stub, uint8_t *to, size_t size)
{
    if (stub->reply_length != 2 * size)
        return false;
    for (size_t i = 0; i < size; i++) {
        const char digits[3] = {stub->reply[2 * i], stub->reply[2 * i + 1], '\0'};
        char *end;

        to[i] = (uint8_t)strtoul(digits, &end, 16);
        if (*end != '\0')
            return false;
    }
    return true;
}

bool stub_read(struct stub *stub, uint64_t address, void *to, size_t size)
{
    char body[48];

    while (size > 0) {
        size_t part = size < MEMORY_MAX ? size : MEMORY_MAX;

        snprintf(body, sizeof(body), "m%llx,%zx", (unsigned long long)address, part);
        if (!stub_put(stub, body))
            return false;
        if (stub_get(stub, STUB_PATIENCE_MS) != STUB_PACKET)
            return fail(stub, "the stub has stopped answering");
        if (!stub_reply_bytes(stub, to, part)) /* E14: not mapped */
            return fail(stub, "nothing is mapped at 0x%llx", (unsigned long long)address);
        address += part;
        to = (char *)to + part;
        size -= part;
    }
    return true;
}

/* --- The connection. --- */

static int connect_unix(const char *path)
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

/* `colon` is the last one in `place`. */
static int connect_tcp(const char *place, const char *colon)
{
    const struct addrinfo wanted = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found, *at;
    char host[256];
    int result = -1;

    snprintf(host, sizeof(host), "%.*s", (int)(colon - place), place);
    if (getaddrinfo(host[0] ? host : "localhost", colon + 1, &wanted, &found) != 0) {
        errno = EADDRNOTAVAIL;
        return -1;
    }
    for (at = found; at && result < 0; at = at->ai_next) {
        int tried = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

        if (tried >= 0 && connect(tried, at->ai_addr, at->ai_addrlen) == 0)
            result = tried;
        else if (tried >= 0)
            close(tried);
    }
    freeaddrinfo(found);
    return result;
}

/* A stub says how its machine stopped; the second question's answer is that question's alone. */
static bool is_stopped(struct stub *stub)
{
    if (!stub_put(stub, "?"))
        return false;
    if (stub_get(stub, STUB_FIRST_MS) != STUB_PACKET)
        return fail(stub,
                    "no answer within %u s: the machine runs, or another debugger has it "
                    "(stop it there; `monitor dump-guest-memory FILE` works there, too)",
                    STUB_FIRST_MS / 1000);
    if (stub->reply[0] != 'T' && stub->reply[0] != 'S')
        return fail(stub, "\"%.20s\" is no stop of a machine: it runs, or that is no stub",
                    stub->reply);
    return stub_ask(stub, "qC", "QC");
}

bool stub_connect(struct stub *stub, const char *place)
{
    const char *colon = strchr(place, '/') ? NULL : strrchr(place, ':');

    *stub = (struct stub){.socket = colon ? connect_tcp(place, colon) : connect_unix(place)};
    if (stub->socket < 0)
        return fail(stub, "no stub of QEMU's listens there: %s", strerror(errno));
    if (is_stopped(stub))
        return true;
    stub_disconnect(stub);
    return false;
}

void stub_disconnect(struct stub *stub)
{
    close(stub->socket);
}
