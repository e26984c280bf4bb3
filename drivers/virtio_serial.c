/* SPDX-License-Identifier: BSD-2-Clause */
/* See virtio_serial.h. The used rings are polled, so that crash paths can send. */
#include "drivers/virtio_serial.h"

#include "arch/cpu.h"
#include "arch/local.h"
#include "drivers/virtio_pci.h"
#include "kernel/x86_64/memory/image.h"

#define ID     0x1043
#define OLD_ID 0x1003 /* a device that also supports versions before 1 */

#define FEATURE_PORTS 0x2 /* ports besides the console, which is port 0 */
#define PORT          1

/* Queues, in and out: two for port 0, two for control, then two for each port. */
#define CONTROL_IN  2
#define CONTROL_OUT 3
#define TRANSMIT    5 /* of port 1 */

/* Events of control messages. */
#define DRIVER_READY 0
#define PORT_ADDED   1
#define PORT_REMOVED 2
#define PORT_READY   3
#define PORT_OPEN    6 /* value 1: open; 0: closed */

#define MESSAGE_SIZE       64 /* a port's name may follow */
#define POLL_TURNS         10000
#define BUFFER_SIZE        2048
#define PORT_PATIENCE_NS   2000000000ull
#define READER_PATIENCE_NS 10000000000ull

struct message {
    uint32_t port;
    uint16_t event, value;
};

static struct virtio_pci virtio;
static struct virtio_queue in_queue, out_queue, transmit_queue;
static struct virtio_line control_in = {.queue = &in_queue, .number = CONTROL_IN},
                          control_out = {.queue = &out_queue, .number = CONTROL_OUT},
                          transmit = {.queue = &transmit_queue, .number = TRANSMIT};
static _Alignas(8) uint8_t messages_in[VIRTIO_QUEUE_SIZE][MESSAGE_SIZE];
static struct message messages_out[VIRTIO_QUEUE_SIZE];
static uint8_t buffers[VIRTIO_QUEUE_SIZE][BUFFER_SIZE];

static bool present;
static bool added;     /* the device has reported the port */
static bool open;      /* latest state of the port's other end; if closed, output is dropped */
static bool left;      /* a reader has left the stream; another would miss its beginning */
static uint16_t heard; /* control messages handled so far */
static bool hurried;   /* set in a crash: lose bytes rather than wait forever */
static bool busy[VIRTIO_QUEUE_SIZE]; /* the device has that buffer */
static uint16_t submitted;           /* buffers counted so far; settle sets it to available.index */
static uint16_t returned;            /* buffers that take_back has seen */
static uint64_t sent_after, lost;

uint64_t virtio_serial_sent;

/* --- Queues. --- */

static void describe(struct virtio_queue *queue, uint16_t buffer, const void *bytes,
                     uint32_t length, uint16_t flags)
{
    queue->available.ring[buffer] = buffer;
    queue->descriptor[buffer] = (struct virtio_descriptor){
        .address = image_physical(bytes), .length = length, .flags = flags};
}

/* Gives the device the buffers up to `index`. It also sees everything written before. */
static void give(struct virtio_queue *queue, uint16_t index)
{
    __atomic_store_n(&queue->available.index, index, __ATOMIC_RELEASE);
}

/* Returns the number of buffers returned; everything the device wrote before is then visible. */
static uint16_t done_with(const struct virtio_queue *queue)
{
    return __atomic_load_n(&queue->used.index, __ATOMIC_ACQUIRE);
}

/* --- Opening the port: boot. --- */

/* Sends a control message. At most three are ever sent. */
static void say(uint32_t port, uint16_t event)
{
    static uint16_t said;

    messages_out[said] = (struct message){.port = port, .event = event, .value = 1};
    describe(&out_queue, said, &messages_out[said], sizeof(struct message), 0);
    give(&out_queue, ++said);
    virtio_pci_notify(&control_out);
}

static void take_word(const struct message *message)
{
    if (message->port != PORT)
        return;
    if (message->event == PORT_ADDED)
        added = true;
    if (message->event == PORT_OPEN || message->event == PORT_REMOVED)
        open = message->event == PORT_OPEN && message->value != 0;
    if (added && !open && virtio_serial_sent > 0)
        left = true;
}

/*
 * Handles the messages received, and gives their buffers back. A crash in the middle handles a
 * message twice, which changes nothing.
 */
static void hear(void)
{
    uint16_t before = heard;

    while (heard != done_with(&in_queue)) {
        uint16_t place = heard % VIRTIO_QUEUE_SIZE;
        uint16_t id = (uint16_t)in_queue.used.ring[place].id % VIRTIO_QUEUE_SIZE;

        take_word((const void *)messages_in[id]);
        in_queue.available.ring[place] = id;
        local_barrier(); /* a crash that sees the new count sees the buffer in place */
        heard++;
    }
    if (heard == before)
        return;
    give(&in_queue, (uint16_t)(VIRTIO_QUEUE_SIZE + heard));
    virtio_pci_notify(&control_in);
}

/* Waits for the message that sets *state. Returns false if it does not come in time. */
static bool hear_of(const bool *state)
{
    uint64_t began = arch_clock_ns();

    while (hear(), !*state) {
        arch_relax();
        if (arch_clock_ns() - began > PORT_PATIENCE_NS)
            return false;
    }
    return true;
}

static const char *open_port(void)
{
    for (uint16_t i = 0; i < VIRTIO_QUEUE_SIZE; i++)
        describe(&in_queue, i, messages_in[i], MESSAGE_SIZE, VIRTIO_DEVICE_WRITES);
    give(&in_queue, VIRTIO_QUEUE_SIZE);
    virtio_pci_notify(&control_in);
    say(0, DRIVER_READY);
    if (!hear_of(&added))
        return "it has no port 1: virtserialport makes one, virtconsole makes port 0";
    say(PORT, PORT_READY);
    if (!hear_of(&open))
        return "its other end is closed: its reader has to be there first (wait=on)";
    say(PORT, PORT_OPEN);
    return NULL;
}

bool virtio_serial_find(void)
{
    return virtio_pci_find(&virtio, ID, OLD_ID);
}

const char *virtio_serial_open(void)
{
    struct virtio_line *const lines[] = {&control_in, &control_out, &transmit};
    const char *why = virtio_pci_begin(
        &virtio, FEATURE_PORTS, "it has a console alone: virtserialport needs max_ports above 1");

    for (unsigned i = 0; !why && i < sizeof(lines) / sizeof(lines[0]); i++)
        why = virtio_pci_set_queue(&virtio, lines[i]);
    if (why)
        return why;
    virtio_pci_run(&virtio);
    why = open_port();
    present = !why;
    return why;
}

/* --- Sending. --- */

/* Buffers the device has returned are free; it may return them in any order. */
static void take_back(void)
{
    while (returned != done_with(&transmit_queue)) {
        uint32_t id = transmit_queue.used.ring[returned % VIRTIO_QUEUE_SIZE].id;

        busy[id % VIRTIO_QUEUE_SIZE] = false;
        returned++;
    }
}

/*
 * Returns false if the buffer has not been returned yet. Polls memory, because the duration of a
 * register read varies.
 */
static bool poll_for(uint16_t buffer)
{
    for (unsigned turns = POLL_TURNS; turns > 0; turns--) {
        take_back();
        if (!busy[buffer])
            return true;
    }
    arch_relax(); /* an emulator may exit to its host here, which takes long */
    return false;
}

/*
 * Waits for the buffer. Returns false if the device has failed, its other end is closed, or a dying
 * machine has waited long enough.
 */
static bool wait_for(uint16_t buffer)
{
    uint64_t began = arch_clock_ns();

    while (hear(), open && !left && !poll_for(buffer))
        if (!virtio_pci_works(&virtio) ||
            (hurried && arch_clock_ns() - began >= READER_PATIENCE_NS))
            return false;
    return open && !left;
}

/* Counts the buffer given to the device. A crash before `submitted` is stored runs this again. */
static void settle(void)
{
    if (transmit_queue.available.index == submitted)
        return;
    busy[submitted % VIRTIO_QUEUE_SIZE] = true;
    virtio_serial_sent = sent_after;
    local_barrier();
    submitted = transmit_queue.available.index;
    virtio_pci_notify(&transmit);
}

static void submit(uint16_t buffer, const char *bytes, uint32_t length)
{
    for (uint32_t i = 0; i < length; i++)
        buffers[buffer][i] = (uint8_t)bytes[i];
    describe(&transmit_queue, buffer, buffers[buffer], length, 0);
    sent_after = virtio_serial_sent + length;
    give(&transmit_queue, (uint16_t)(submitted + 1)); /* a crash finds it given, and settles */
    local_barrier();
    settle();
}

void virtio_serial_send(const char *bytes, size_t length)
{
    while (present && length > 0) {
        uint32_t part = length < BUFFER_SIZE ? (uint32_t)length : BUFFER_SIZE;
        uint16_t buffer = submitted % VIRTIO_QUEUE_SIZE;

        if (lost > 0 || !wait_for(buffer)) {
            lost += length;
            return;
        }
        submit(buffer, bytes, part);
        bytes += part;
        length -= part;
    }
}

uint64_t virtio_serial_lost(void)
{
    uint64_t bytes = lost;

    for (unsigned i = 0; i < VIRTIO_QUEUE_SIZE; i++)
        if (busy[i])
            bytes += transmit_queue.descriptor[i].length;
    return bytes;
}

bool virtio_serial_gone(void)
{
    return lost > 0;
}

void virtio_serial_limit_waits(void)
{
    hurried = true;
    if (present)
        settle();
}

void virtio_serial_drain(void)
{
    for (uint16_t i = 0; present && lost == 0 && i < VIRTIO_QUEUE_SIZE; i++)
        if (!wait_for(i))
            return;
}
