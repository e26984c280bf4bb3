/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory of a machine behind QEMU's stub for gdb, over a Unix socket or TCP (the manual of gdb,
 * "Remote Protocol"). The stub translates addresses like the first CPU. QEMU stops a running
 * machine when a debugger connects; while another debugger is connected, the stub does not answer.
 * Called by tools/postmortem/main.c.
 */
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

#include "tools/postmortem/memory.h"

#define PACKET_MAX  4096  /* as in QEMU; a reply has two digits for each byte of memory */
#define FIRST_MS    5000  /* for the first answer: another debugger may be connected */
#define PATIENCE_MS 60000 /* for each later answer, from a stopped machine */
#define MEMORY_MAX  (PACKET_MAX / 2 - 8)

/* Functions that return false leave the reason in `why`. */
struct stub {
    int socket;
    char input[PACKET_MAX];
    size_t input_length, input_read;
    char reply[PACKET_MAX + 1]; /* the last packet's body, a string */
    size_t reply_length;
    char why[256];
};

__attribute__((format(printf, 2, 3))) static bool fail(struct stub *stub, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(stub->why, sizeof(stub->why), format, arguments);
    va_end(arguments);
    return false;
}

/* --- Bytes. --- */

/* True if there is another byte to read. */
static bool wait_input(struct stub *stub, int patience_ms)
{
    struct pollfd wait = {.fd = stub->socket, .events = POLLIN};
    int ready;

    if (stub->input_read < stub->input_length)
        return true;
    do
        ready = poll(&wait, 1, patience_ms);
    while (ready < 0 && errno == EINTR);
    if (ready != 1)
        return false;
    ssize_t length = recv(stub->socket, stub->input, sizeof(stub->input), 0);
    if (length <= 0)
        return false;
    stub->input_length = (size_t)length;
    stub->input_read = 0;
    return true;
}

/* Returns the next byte of a packet, or -1. The rest of a packet follows at once. */
static int next_byte(struct stub *stub)
{
    if (!wait_input(stub, PATIENCE_MS))
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

static bool put_packet(struct stub *stub, const char *body)
{
    char packet[256];
    unsigned char sum = 0;

    for (const char *at = body; *at; at++)
        sum = (unsigned char)(sum + (unsigned char)*at);
    int length = snprintf(packet, sizeof(packet), "$%s#%02x", body, sum);
    return send_all(stub, packet, (size_t)length);
}

/*
 * Receives a packet. Skips checksums, because a socket loses nothing; does not support run lengths,
 * which QEMU does not send.
 */
static bool take_packet(struct stub *stub, int patience_ms)
{
    int byte;

    do {
        if (!wait_input(stub, patience_ms))
            return false;
    } while (stub->input[stub->input_read++] != '$');
    stub->reply_length = 0;
    while ((byte = next_byte(stub)) >= 0 && byte != '#' && stub->reply_length < PACKET_MAX)
        stub->reply[stub->reply_length++] = (char)byte;
    stub->reply[stub->reply_length] = '\0';
    if (byte != '#' || next_byte(stub) < 0 || next_byte(stub) < 0)
        return false;
    /* A machine that continues may have exited after its answer, which still counts. */
    (void)send_all(stub, "+", 1);
    return true;
}

/*
 * Sends a request, and takes replies until one has this prefix: QEMU may report a stop at any time.
 */
static bool ask(struct stub *stub, const char *body, const char *begins)
{
    if (!put_packet(stub, body))
        return false;
    do {
        if (!take_packet(stub, PATIENCE_MS))
            return fail(stub, "the stub has stopped answering");
        if (stub->reply_length == 0 || stub->reply[0] == 'E')
            return fail(stub, "the stub refuses \"%s\"", body);
    } while (strncmp(stub->reply, begins, strlen(begins)) != 0);
    return true;
}

static bool reply_bytes(const struct stub *stub, uint8_t *to, size_t size)
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

static bool read_memory(struct stub *stub, uint64_t address, void *to, size_t size)
{
    char body[48];

    while (size > 0) {
        size_t part = size < MEMORY_MAX ? size : MEMORY_MAX;

        snprintf(body, sizeof(body), "m%llx,%zx", (unsigned long long)address, part);
        if (!put_packet(stub, body))
            return false;
        if (!take_packet(stub, PATIENCE_MS))
            return fail(stub, "the stub has stopped answering");
        if (!reply_bytes(stub, to, part)) /* E14: not mapped */
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

/* `colon`: the last one in `place`. */
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

/*
 * True if the machine is stopped: the stub then reports why. The first answer may be a report that
 * came unasked, so a second request follows, whose answer cannot be one.
 */
static bool is_stopped(struct stub *stub)
{
    if (!put_packet(stub, "?"))
        return false;
    if (!take_packet(stub, FIRST_MS))
        return fail(stub,
                    "no answer within %u s: the machine runs, or another debugger has it "
                    "(stop it there; `monitor dump-guest-memory FILE` works there, too)",
                    FIRST_MS / 1000);
    if (stub->reply[0] != 'T' && stub->reply[0] != 'S')
        return fail(stub, "\"%.20s\" is no stop of a machine: it runs, or that is no stub",
                    stub->reply);
    return ask(stub, "qC", "QC");
}

static void detach(struct stub *stub)
{
    close(stub->socket);
}

/* `place` is a Unix socket's path or HOST:PORT. */
static bool attach(struct stub *stub, const char *place)
{
    const char *colon = strchr(place, '/') ? NULL : strrchr(place, ':');

    *stub = (struct stub){.socket = colon ? connect_tcp(place, colon) : connect_unix(place)};
    if (stub->socket < 0)
        return fail(stub, "no stub of QEMU's listens there: %s", strerror(errno));
    if (is_stopped(stub))
        return true;
    detach(stub);
    return false;
}

/* --- Memory. --- */

static struct {
    struct memory memory;
    struct stub stub;
} stopped;

static bool stopped_read(struct memory *memory, uint64_t address, void *to, size_t size)
{
    (void)memory;
    return read_memory(&stopped.stub, address, to, size);
}

static bool stopped_close(struct memory *memory, bool go_on)
{
    bool done = !go_on || ask(&stopped.stub, "D", "OK");

    if (!done)
        complain(memory->path, "the machine was not let go: %s", stopped.stub.why);
    detach(&stopped.stub);
    return done;
}

struct memory *stub_open(const char *path)
{
    stopped.memory = (struct memory){.path = path, .read = stopped_read, .close = stopped_close};
    if (attach(&stopped.stub, path))
        return &stopped.memory;
    complain(path, "%s", stopped.stub.why);
    return NULL;
}
