/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads ACPI's tables as QEMU and real firmware lay them out; damaged tables must not cause reads
 * past their ends. The tables are in a buffer of exactly their size, so the sanitizer reports such
 * a read.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "drivers/acpi.h"

#define BASE  0xbffe0000ull /* the buffer's physical address */
#define SIZE  4096
#define ROUND 20000

static uint8_t *memory; /* SIZE bytes, exactly */
static size_t used;
static struct acpi acpi;
static uint8_t rsdp[36];

static const void *reach(uint64_t physical, size_t length)
{
    if (physical < BASE || physical - BASE > SIZE || length > SIZE - (physical - BASE))
        return NULL;
    return memory + (physical - BASE);
}

static int setup(void **state)
{
    (void)state;
    free(memory);
    memory = calloc(1, SIZE);
    assert_non_null(memory);
    used = 0;
    memset(rsdp, 0, sizeof(rsdp));
    return 0;
}

static void put(uint8_t *to, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

/* The byte that makes the sum 0. */
static uint8_t balance(const uint8_t *bytes, size_t size)
{
    uint8_t sum = 0;

    for (size_t i = 0; i < size; i++)
        sum = (uint8_t)(sum + bytes[i]);
    return (uint8_t)-sum;
}

/* Adds a table with this body; returns its physical address. */
static uint64_t add_table(const char *signature, const uint8_t *body, size_t size)
{
    uint8_t *table = memory + used;
    uint64_t physical = BASE + used;

    memcpy(table, signature, 4);
    put(table + 4, 36 + size, 4);
    memcpy(table + 36, body, size);
    table[9] = balance(table, 36 + size);
    used += 36 + size;
    return physical;
}

static void finish(uint64_t rsdt, uint64_t xsdt)
{
    memcpy(rsdp, "RSD PTR ", 8);
    rsdp[15] = xsdt ? 2 : 0;
    put(rsdp + 16, rsdt, 4);
    rsdp[8] = balance(rsdp, 20);
    put(rsdp + 20, sizeof(rsdp), 4);
    put(rsdp + 24, xsdt, 8);
}

/* Two enabled CPUs, one that is disabled, an I/O APIC, interrupt 0 on line 2. */
static const uint8_t madt[] = {
    0x00, 0x00, 0xe0, 0xfe, 1,    0,    0,    0,                  /* APIC, flags */
    0,    8,    0,    0,    1,    0,    0,    0,                  /* CPU 0 */
    0,    8,    1,    4,    1,    0,    0,    0,                  /* CPU 4 */
    0,    8,    2,    6,    0,    0,    0,    0,                  /* ... not enabled */
    1,    12,   0,    0,    0x00, 0x00, 0xc0, 0xfe, 0,   0, 0, 0, /* I/O APIC */
    2,    10,   0,    0,    2,    0,    0,    0,    0,   0,       /* 0 is 2 */
    2,    10,   0,    9,    9,    0,    0,    0,    0xd, 0,       /* 9 is 9 */
    4,    6,    0xff, 0,    0,    1,                              /* NMI pin */
};

static const uint8_t hpet[] = {0, 0, 0, 0, 0, 64, 0, 0, 0x00, 0x00, 0xd0, 0xfe, 0, 0, 0, 0};

/* As in ACPI 1.0: the block's address at 76 in the table, its length at 91. */
static const uint8_t fadt[80] = {[76 - 36] = 0x08, [77 - 36] = 0xb0, [89 - 36] = 2, [91 - 36] = 4};

/* The usual machine, with 32-bit or 64-bit addresses. */
static void make_machine(size_t entry_size)
{
    uint8_t root[24] = {0};

    put(root, add_table("HPET", hpet, sizeof(hpet)), entry_size);
    put(root + entry_size, add_table("APIC", madt, sizeof(madt)), entry_size);
    put(root + 2 * entry_size, add_table("FACP", fadt, sizeof(fadt)), entry_size);
    if (entry_size == 4)
        finish(add_table("RSDT", root, 12), 0);
    else
        finish(0, add_table("XSDT", root, 24));
}

static void assert_machine(void)
{
    assert_null(acpi.problem);
    assert_int_equal(acpi.apic_address, 0xfee00000);
    assert_int_equal(acpi.cpu_count, 2);
    assert_int_equal(acpi.apic_ids[0], 0);
    assert_int_equal(acpi.apic_ids[1], 4);
    assert_int_equal(acpi.cpus_ignored, 0);
    assert_int_equal(acpi.io_apic_count, 1);
    assert_int_equal(acpi.io_apics[0].address, 0xfec00000);
    assert_int_equal(acpi.timer_line, 2);
    assert_int_equal(acpi.hpet_address, 0xfed00000);
    assert_int_equal(acpi.pm_timer_port, 0xb008);
}

static void a_machine_is_read_by_32_bit_addresses(void **state)
{
    (void)state;
    make_machine(4);
    acpi_read(rsdp, 20, reach, &acpi);
    assert_machine();
}

static void a_machine_is_read_by_64_bit_addresses(void **state)
{
    (void)state;
    make_machine(8);
    acpi_read(rsdp, sizeof(rsdp), reach, &acpi);
    assert_machine();
}

static void cpus_with_long_numbers_are_read_and_those_without_room_counted(void **state)
{
    uint8_t many[8 + 16 * (ARCH_CPUS_MAX + 3)] = {0};
    uint8_t root[4];

    (void)state;
    for (uint32_t i = 0; i < ARCH_CPUS_MAX + 3; i++) {
        uint8_t *entry = many + 8 + 16 * i;

        entry[0] = 9;
        entry[1] = 16;
        put(entry + 4, i == 0 ? 0x12345 : i, 4); /* the first is out of xAPIC's range */
        put(entry + 8, 1, 4);
    }
    put(root, add_table("APIC", many, sizeof(many)), 4);
    finish(add_table("RSDT", root, 4), 0);
    acpi_read(rsdp, 20, reach, &acpi);
    assert_null(acpi.problem);
    assert_int_equal(acpi.cpu_count, ARCH_CPUS_MAX);
    assert_int_equal(acpi.cpus_ignored, 3);
    assert_int_equal(acpi.apic_ids[0], 1);
}

static void a_cpu_that_is_named_twice_is_one(void **state)
{
    uint8_t body[8 + 8 + 8 + 16] = {0};
    uint8_t root[4];

    (void)state;
    for (unsigned i = 0; i < 2; i++) { /* again by the other kind of entry */
        body[8 + 8 * i + 1] = 8;
        body[8 + 8 * i + 3] = 7;
        body[8 + 8 * i + 4] = 1;
    }
    body[24] = 9;
    body[25] = 16;
    put(body + 28, 7, 4);
    put(body + 32, 1, 4);
    put(root, add_table("APIC", body, sizeof(body)), 4);
    finish(add_table("RSDT", root, 4), 0);
    acpi_read(rsdp, 20, reach, &acpi);
    assert_null(acpi.problem);
    assert_int_equal(acpi.cpu_count, 1);
    assert_int_equal(acpi.apic_ids[0], 7);
}

static void the_address_of_the_apics_may_be_a_long_one(void **state)
{
    uint8_t body[8 + 12] = {0};
    uint8_t root[4];

    (void)state;
    body[8] = 5;
    body[9] = 12;
    put(body + 12, 0x1fee00000, 8);
    put(root, add_table("APIC", body, sizeof(body)), 4);
    finish(add_table("RSDT", root, 4), 0);
    acpi_read(rsdp, 20, reach, &acpi);
    assert_string_equal(acpi.problem, "ACPI's table of interrupt controllers names no CPU");
    assert_int_equal(acpi.apic_address, 0x1fee00000);
}

static void what_is_missing_is_named(void **state)
{
    uint8_t root[4];

    acpi_read(rsdp, 0, reach, &acpi);
    assert_string_equal(acpi.problem, "the boot loader passed no ACPI root pointer");
    acpi_read(rsdp, 20, reach, &acpi);
    assert_string_equal(acpi.problem, "the ACPI root pointer is damaged");
    finish(0x1000, 0);
    acpi_read(rsdp, 20, reach, &acpi);
    assert_string_equal(acpi.problem, "ACPI's root table is damaged, or out of reach");
    setup(state);
    put(root, add_table("HPET", hpet, sizeof(hpet)), 4);
    finish(add_table("RSDT", root, 4), 0);
    acpi_read(rsdp, 20, reach, &acpi);
    assert_string_equal(acpi.problem, "ACPI has no table of interrupt controllers (MADT)");
}

static void a_table_whose_bytes_do_not_add_up_is_not_there(void **state)
{
    (void)state;
    make_machine(4);
    memory[sizeof(hpet) + 36 + 40]++;
    acpi_read(rsdp, 20, reach, &acpi);
    assert_string_equal(acpi.problem, "ACPI has no table of interrupt controllers (MADT)");
}

/* Random bytes are changed and the checksums corrected: nothing outside of the tables is read. */
static void damage_does_not_lead_astray(void **state)
{
    unsigned whole = 0;

    srand(5);
    for (unsigned round = 0; round < ROUND; round++) {
        size_t places[3], start = 0;

        setup(state);
        make_machine(rand() % 2 ? 4 : 8);
        for (unsigned i = 0; i < 3; i++) {
            places[i] = (size_t)rand() % used;
            memory[places[i]] = (uint8_t)rand();
        }
        for (unsigned table = 0; table < 3 && start < used; table++) {
            size_t length = table == 0 ? 36 + sizeof(hpet) : 36 + sizeof(madt);

            if (table == 2)
                length = used - start;
            memory[start + 9] = 0;
            memory[start + 9] = balance(memory + start, length);
            start += length;
        }
        acpi_read(rsdp, sizeof(rsdp), reach, &acpi);
        assert_true(acpi.cpu_count <= ARCH_CPUS_MAX);
        assert_true(acpi.io_apic_count <= ACPI_IO_APICS_MAX);
        whole += !acpi.problem;
    }
    assert_in_range(whole, ROUND / 10, ROUND - 1); /* some damage is detected, some does no harm */
    free(memory);
    memory = NULL;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_machine_is_read_by_32_bit_addresses, setup),
        cmocka_unit_test_setup(a_machine_is_read_by_64_bit_addresses, setup),
        cmocka_unit_test_setup(cpus_with_long_numbers_are_read_and_those_without_room_counted,
                               setup),
        cmocka_unit_test_setup(a_cpu_that_is_named_twice_is_one, setup),
        cmocka_unit_test_setup(the_address_of_the_apics_may_be_a_long_one, setup),
        cmocka_unit_test_setup(what_is_missing_is_named, setup),
        cmocka_unit_test_setup(a_table_whose_bytes_do_not_add_up_is_not_there, setup),
        cmocka_unit_test_setup(damage_does_not_lead_astray, setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
