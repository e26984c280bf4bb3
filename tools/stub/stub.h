/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * QEMU's stub for gdb from the debugger's side: packets of gdb's remote protocol (the manual of
 * gdb, "Remote Protocol"), over a Unix socket or TCP. Functions that return false leave the reason
 * in `why`. Called by tools/postmortem/stub.c and tools/outside.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STUB_PACKET_MAX  4096  /* QEMU's; a reply of memory has two digits a byte */
#define STUB_FIRST_MS    5000  /* for the first answer: another debugger may have the stub */
#define STUB_PATIENCE_MS 60000 /* for each later one, of a machine that is stopped */

struct stub {
    int socket;
    char input[STUB_PACKET_MAX];
    size_t input_length, input_read;
    char reply[STUB_PACKET_MAX + 1]; /* the last packet's body, a string */
    size_t reply_length;
    char why[256];
};

/*
 * `place` is a Unix socket's path or HOST:PORT. QEMU stops the machine when a debugger connects;
 * true: it is stopped, and answers.
 */
bool stub_connect(struct stub *stub, const char *place);
void stub_disconnect(struct stub *stub);

/* Sends a packet; waits for none. */
bool stub_put(struct stub *stub, const char *body);

/* The byte that stops a machine that runs. */
bool stub_interrupt(struct stub *stub);

/*
 * The next packet's body into `reply`. STUB_NOTHING: none came within `patience_ms`, which begins
 * anew when a signal comes.
 */
enum stub_result { STUB_PACKET, STUB_NOTHING, STUB_ENDED };
enum stub_result stub_get(struct stub *stub, int patience_ms);

/* Sends it, and takes replies until one begins so: that a machine stopped is told unasked. */
bool stub_ask(struct stub *stub, const char *body, const char *begins);

/* Copies the machine's memory, by the addresses of the CPU that was chosen last. */
bool stub_read(struct stub *stub, uint64_t address, void *to, size_t size);

/* The reply as bytes: false where it is not exactly `size` of them. */
bool stub_reply_bytes(const struct stub *stub, uint8_t *to, size_t size);
