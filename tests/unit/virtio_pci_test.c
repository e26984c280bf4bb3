/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * drivers/virtio_pci.c with devices that lack something, have it in the wrong place or stop
 * responding: each is refused with its own reason, in a bounded time. The test replaces
 * drivers/pci.c and paging.
 *
 * links: drivers/virtio_pci.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arch/cpu.h"
#include "drivers/virtio_pci.h"
#include "kernel/x86_64/memory/paging.h"
#include "tests/unit/fake_device.h"

/* The specification's register offsets, and the fields of a capability. */
#define DEVICE_FEATURE      4
#define STATUS              20
#define QUEUE_SIZE          24
#define QUEUE_ENABLE        28
#define QUEUE_NOTIFY_OFFSET 30
#define COMMON_LENGTH       56
#define KIND_COMMON         1
#define KIND_NOTIFY         2

#define COMMON_AT   0x40 /* capabilities */
#define NOTIFY_AT   0x60
#define BAR_MEMORY  0xfe000000u
#define NOTIFY_FROM 0x1000u
#define FEATURE     0x2u
#define LACKING     "lacking"

static uint8_t config[256], registers[2 * 4096];
static uint64_t bar_memory, now;
static bool never_resets;
static bool mapped_all; /* no more can be mapped */
static struct virtio_queue queue;

uint64_t arch_clock_ns(void)
{
    return now += 1000000;
}

/* A device whose status is never 0. */
static uint32_t stuck_read(unsigned offset)
{
    return offset == STATUS;
}

static void stuck_write(unsigned offset, uint32_t value)
{
    assert_int_equal(offset, STATUS);
    assert_int_equal(value & 0xff, 0);
}

volatile void *paging_map_device(uint64_t physical)
{
    static const struct fake_device stuck = {stuck_read, stuck_write};

    if (never_resets)
        return fake_device_map(&stuck);
    assert_in_range(physical, BAR_MEMORY, BAR_MEMORY + sizeof(registers) - 1);
    return mapped_all ? NULL : registers + (physical - BAR_MEMORY);
}

bool pci_find(bool (*wanted)(const struct pci_device *device), struct pci_device *found)
{
    const struct pci_device device = {.vendor = 0x1af4, .id = 0x1043};

    *found = device;
    return wanted(&device);
}

uint8_t pci_read8(const struct pci_device *device, unsigned offset)
{
    (void)device;
    return config[offset];
}

uint32_t pci_read32(const struct pci_device *device, unsigned offset)
{
    uint32_t value;

    (void)device;
    memcpy(&value, config + offset, sizeof(value));
    return value;
}

void pci_enable_memory(const struct pci_device *device)
{
    (void)device;
}

unsigned pci_capability(const struct pci_device *device, uint8_t kind, unsigned after)
{
    (void)device;
    for (unsigned at = after ? after + 0x20 : COMMON_AT; at <= NOTIFY_AT; at += 0x20)
        if (config[at] == kind)
            return at;
    return 0;
}

uint64_t pci_memory(const struct pci_device *device, unsigned bar)
{
    (void)device;
    return bar == 4 ? bar_memory : 0;
}

static void set32(uint8_t *at, uint32_t value)
{
    memcpy(at, &value, sizeof(value));
}

static void put_capability(unsigned at, uint8_t kind, uint32_t offset, uint32_t length)
{
    config[at] = 9;
    config[at + 3] = kind;
    config[at + 4] = 4;
    set32(config + at + 8, offset);
    set32(config + at + 12, length);
}

/* A correct device. */
static int setup(void **state)
{
    (void)state;
    memset(config, 0, sizeof(config));
    memset(registers, 0, sizeof(registers));
    memset(&queue, 0, sizeof(queue));
    put_capability(COMMON_AT, KIND_COMMON, 0, COMMON_LENGTH);
    put_capability(NOTIFY_AT, KIND_NOTIFY, NOTIFY_FROM, 8);
    set32(config + NOTIFY_AT + 16, 4);
    registers[DEVICE_FEATURE] = FEATURE | 1; /* version 1, in the other word */
    registers[QUEUE_SIZE] = VIRTIO_QUEUE_SIZE;
    registers[QUEUE_NOTIFY_OFFSET] = 1;
    bar_memory = BAR_MEMORY;
    now = 0;
    never_resets = mapped_all = false;
    return 0;
}

static const char *begin(struct virtio_pci *virtio)
{
    assert_true(virtio_pci_find(virtio, 0x1043, 0x1003));
    return virtio_pci_begin(virtio, FEATURE, LACKING);
}

static void refused(const char *reason)
{
    struct virtio_pci virtio;
    const char *why = begin(&virtio);

    assert_non_null(why);
    assert_string_equal(why, reason);
}

static const char *set_queue(struct virtio_line *line)
{
    struct virtio_pci virtio;

    assert_null(begin(&virtio));
    *line = (struct virtio_line){.queue = &queue, .number = 5};
    return virtio_pci_set_queue(&virtio, line);
}

static void queue_refused(const char *reason)
{
    struct virtio_line line;
    const char *why = set_queue(&line);

    assert_non_null(why);
    assert_string_equal(why, reason);
    assert_int_equal(registers[QUEUE_ENABLE], 0);
}

static void a_whole_device_is_taken(void **state)
{
    struct virtio_line line;

    (void)state;
    assert_null(set_queue(&line));
    assert_ptr_equal(line.doorbell, registers + NOTIFY_FROM + 4);
    assert_int_equal(registers[QUEUE_ENABLE], 1);
    assert_int_equal(registers[STATUS], 0x01 | 0x02 | 0x08); /* found, driven, agreed */
    virtio_pci_notify(&line);
    assert_int_equal(registers[NOTIFY_FROM + 4], 5);
}

static void another_device_is_none(void **state)
{
    struct virtio_pci virtio;

    (void)state;
    assert_false(virtio_pci_find(&virtio, 0x1041, 0x1000));
}

static void a_part_that_is_missing_is_refused(void **state)
{
    (void)state;
    config[NOTIFY_AT] = 0;
    refused("it is older than version 1 of virtio");
    setup(NULL);
    config[COMMON_AT + 3] = 3;
    refused("it is older than version 1 of virtio");
}

static void a_part_without_a_place_is_refused(void **state)
{
    static const char reason[] = "the firmware has assigned no address to its registers";

    (void)state;
    bar_memory = 0;
    refused(reason);
    setup(NULL);
    config[COMMON_AT + 4] = 7; /* BARs are 0 to 5 */
    refused(reason);
    setup(NULL);
    set32(config + COMMON_AT + 12, COMMON_LENGTH - 1);
    refused(reason);
    setup(NULL);
    set32(config + NOTIFY_AT + 12, 1);
    refused(reason);
    setup(NULL);
    set32(config + COMMON_AT + 8, 4096 - COMMON_LENGTH + 4);
    refused("its registers lie across two pages");
    setup(NULL);
    bar_memory = UINT64_MAX - 0xfff; /* with the offset it would overlap memory in use */
    set32(config + NOTIFY_AT + 8, 0x2000);
    refused(reason);
    setup(NULL);
    mapped_all = true;
    refused("there is no room to map its registers");
}

static void a_device_that_does_not_answer_is_given_up(void **state)
{
    (void)state;
    never_resets = true;
    refused("it does not finish its reset");
    assert_in_range(now, 1000000000, 1010000000);
}

static void what_is_not_offered_is_not_asked_for(void **state)
{
    (void)state;
    registers[DEVICE_FEATURE] = FEATURE;
    refused("it does not offer version 1 of virtio");
    assert_true(registers[STATUS] & 0x80); /* failed */
    setup(NULL);
    registers[DEVICE_FEATURE] = 1;
    refused(LACKING);
    assert_true(registers[STATUS] & 0x80);
}

static void a_queue_that_does_not_fit_is_refused(void **state)
{
    (void)state;
    registers[QUEUE_SIZE] = 0;
    queue_refused("one of its queues is missing or too short");
    registers[QUEUE_SIZE] = VIRTIO_QUEUE_SIZE - 1;
    queue_refused("one of its queues is missing or too short");
}

static void a_doorbell_outside_is_refused(void **state)
{
    static const char reason[] = "one of its doorbells is outside its registers";

    (void)state;
    registers[QUEUE_NOTIFY_OFFSET] = 2; /* 8 of 8 bytes */
    queue_refused(reason);
    memset(registers + QUEUE_NOTIFY_OFFSET, 0xff, 2);
    set32(config + NOTIFY_AT + 16, UINT32_MAX);
    queue_refused(reason);
    setup(NULL);
    set32(config + NOTIFY_AT + 16, 3); /* a 16-bit register at an odd address */
    queue_refused(reason);
}

static void a_device_that_fails_says_so(void **state)
{
    struct virtio_pci virtio;

    (void)state;
    assert_null(begin(&virtio));
    assert_true(virtio_pci_works(&virtio));
    registers[STATUS] |= 0x40; /* needs a reset */
    assert_false(virtio_pci_works(&virtio));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_whole_device_is_taken, setup),
        cmocka_unit_test_setup(another_device_is_none, setup),
        cmocka_unit_test_setup(a_part_that_is_missing_is_refused, setup),
        cmocka_unit_test_setup(a_part_without_a_place_is_refused, setup),
        cmocka_unit_test_setup(a_device_that_does_not_answer_is_given_up, setup),
        cmocka_unit_test_setup(what_is_not_offered_is_not_asked_for, setup),
        cmocka_unit_test_setup(a_queue_that_does_not_fit_is_refused, setup),
        cmocka_unit_test_setup(a_doorbell_outside_is_refused, setup),
        cmocka_unit_test_setup(a_device_that_fails_says_so, setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
