/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The information from a loader that enters by the PVH note, in the layout of QEMU and other
 * monitors. Damage must not cause reads outside of it: it is in a buffer of its exact size, which
 * the sanitizer watches.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arch/memory.h"
#include "boot/information.h"

#define BASE  0x9f000ull /* the buffer's physical address */
#define SIZE  4096
#define ROUND 20000

enum { MAP = 64, MODULES = 256, LINE = 512, ROOT = 1024, EBDA = 2048 };

static uint8_t *memory; /* SIZE bytes, exactly */
static uint8_t ebda_segment[2];
static struct boot_information boot;

static const void *reach(uint64_t physical, size_t length)
{
    if (physical == 0x40e && length == 2)
        return ebda_segment;
    if (physical < BASE || physical - BASE > SIZE || length > SIZE - (physical - BASE))
        return NULL;
    return memory + (physical - BASE);
}

static void put(size_t at, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        memory[at + i] = (uint8_t)(value >> 8 * i);
}

static void put_range(size_t at, uint64_t base, uint64_t length, uint32_t type)
{
    put(at, base, 8);
    put(at + 8, length, 8);
    put(at + 16, type, 8);
}

static void put_root(size_t at, uint8_t revision)
{
    uint8_t sum = 0;

    memcpy(memory + at, "RSD PTR ", 8);
    memory[at + 15] = revision;
    for (size_t i = 0; i < 20; i++)
        sum = (uint8_t)(sum + memory[at + i]);
    memory[at + 8] = (uint8_t)-sum;
}

/* As QEMU: version 1, two ranges of RAM with a gap, a module, a command line, an old RSDP. */
static int setup(void **state)
{
    (void)state;
    free(memory);
    memory = calloc(1, SIZE);
    assert_non_null(memory);
    memset(ebda_segment, 0, sizeof(ebda_segment));
    put(0, PVH_MAGIC, 4);
    put(4, 1, 4);
    put(12, 1, 4);
    put(16, BASE + MODULES, 8);
    put(24, BASE + LINE, 8);
    put(32, BASE + ROOT, 8);
    put(40, BASE + MAP, 8);
    put(48, 3, 4);
    put_range(MAP, 0, 0x9fc00, 1);
    put_range(MAP + 24, 0x9fc00, 0x400, 2);
    put_range(MAP + 48, 0x100000, 0x7ee0000, 1);
    put(MODULES, 0x7f00123, 8);
    put(MODULES + 8, 0x1800, 8);
    strcpy((char *)memory + LINE, "run=\"a b; c\"");
    put_root(ROOT, 0);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    free(memory);
    memory = NULL;
    return 0;
}

static void all_is_found(void **state)
{
    (void)state;
    assert_null(pvh_read(BASE, reach, &boot));
    assert_int_equal(boot.memory_count, 1);
    assert_int_equal(boot.memory[0].start, 0x100000);
    assert_int_equal(boot.memory[0].end, 0x7fe0000);
    assert_int_equal(boot.low_page, 0x1000);
    assert_string_equal(boot.command_line, "run=\"a b; c\"");
    assert_int_equal(boot.acpi_root_size, 20);
    assert_memory_equal(boot.acpi_root, memory + ROOT, 20);
}

static void a_module_lies_anywhere_in_its_pages(void **state)
{
    (void)state;
    assert_null(pvh_read(BASE, reach, &boot));
    assert_int_equal(boot.module_start, 0x7f00123);
    assert_int_equal(boot.module_size, 0x1800);
    assert_int_equal(boot.module.start, 0x7f00000);
    assert_int_equal(boot.module.end, 0x7f02000);
}

static void what_may_be_missing(void **state)
{
    (void)state;
    put(12, 0, 4);
    put(24, 0, 8);
    put(32, 0, 8);
    memset(memory + ROOT, 0, 20);
    assert_null(pvh_read(BASE, reach, &boot));
    assert_int_equal(boot.module_size, 0);
    assert_string_equal(boot.command_line, "");
    assert_int_equal(boot.acpi_root_size, 0);
}

/* One place of the firmware's: the first KiB of the extended BIOS data area. */
static void the_root_is_searched_for(void **state)
{
    (void)state;
    put(32, 0, 8);
    put_root(EBDA + 48, 2);
    ebda_segment[0] = (uint8_t)((BASE + EBDA) >> 4);
    ebda_segment[1] = (uint8_t)((BASE + EBDA) >> 12);
    assert_null(pvh_read(BASE, reach, &boot));
    assert_int_equal(boot.acpi_root_size, 36);
    assert_memory_equal(boot.acpi_root, memory + EBDA + 48, 36);
}

static void what_is_refused(void **state)
{
    (void)state;
    assert_non_null(strstr(pvh_read(BASE + SIZE, reach, &boot), "no hvm_start_info"));
    put(40, 0, 8);
    assert_non_null(strstr(pvh_read(BASE, reach, &boot), "no memory map"));
    put(40, BASE + SIZE - 24, 8);
    assert_non_null(strstr(pvh_read(BASE, reach, &boot), "out of reach"));
    put(40, BASE + MAP, 8);
    put(4, 0, 4);
    assert_non_null(strstr(pvh_read(BASE, reach, &boot), "no memory map"));
    assert_string_equal(boot.command_line, "run=\"a b; c\""); /* already known */
    put(0, 0x36d76289, 4);
    assert_non_null(strstr(pvh_read(BASE, reach, &boot), "no hvm_start_info"));
}

static void a_line_without_an_end(void **state)
{
    (void)state;
    memset(memory + LINE, 'x', SIZE - LINE);
    put(12, 0, 4); /* the module's entry lies among the x */
    assert_null(pvh_read(BASE, reach, &boot));
    assert_int_equal(strlen(boot.command_line), SIZE - LINE);
}

static void a_range_that_wraps_round_is_nothing(void **state)
{
    (void)state;
    put_range(MAP, 0xfffffffffffff000, 0x400000, 1);
    put_range(MAP + 48, 0xfffffffffffff800, 0x400000, 1);
    put(MODULES + 8, UINT64_MAX, 8);
    assert_null(pvh_read(BASE, reach, &boot));
    assert_int_equal(boot.memory_count, 0);
    assert_int_equal(boot.module_size, 0);
}

/* For random bytes, it reads only inside the buffer, and returns whole pages in order. */
static void any_damage(void **state)
{
    srand(1);
    for (unsigned round = 0; round < ROUND; round++) {
        setup(state);
        for (unsigned damage = (unsigned)rand() % 4; damage-- > 0;)
            memory[4 + (size_t)rand() % (MODULES + 28)] = (uint8_t)rand();
        pvh_read(BASE, reach, &boot);
        assert_true(boot.memory_count <= BOOT_RANGES_MAX);
        for (size_t i = 0; i < boot.memory_count; i++)
            assert_true(boot.memory[i].start < boot.memory[i].end &&
                        (boot.memory[i].start | boot.memory[i].end) % PAGE_SIZE == 0);
        assert_true(memchr(boot.command_line, 0, sizeof(boot.command_line)) != NULL);
        assert_true(boot.module_size == 0 || boot.module.start <= boot.module_start);
        assert_true(boot.module_size <= boot.module.end - boot.module.start);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(all_is_found, setup),
        cmocka_unit_test_setup(a_module_lies_anywhere_in_its_pages, setup),
        cmocka_unit_test_setup(what_may_be_missing, setup),
        cmocka_unit_test_setup(the_root_is_searched_for, setup),
        cmocka_unit_test_setup(what_is_refused, setup),
        cmocka_unit_test_setup(a_line_without_an_end, setup),
        cmocka_unit_test_setup(a_range_that_wraps_round_is_nothing, setup),
        cmocka_unit_test_setup_teardown(any_damage, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
