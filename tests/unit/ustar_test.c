/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Archives in tar's format: entries with paths and contents, the end, and refusals
 * (kernel/fs/ustar.h).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "kernel/fs/ustar.h"

#define BLOCK    512
#define SIZE     124 /* fields: pax(1), "ustar Interchange Format" */
#define CHECKSUM 148
#define TYPE     156
#define MAGIC    257
#define PREFIX   345

static unsigned char bytes[6 * BLOCK];
static struct ustar archive;
static struct ustar_entry entry;
static struct refusal why;

static void sum(unsigned char *header)
{
    unsigned checksum = 0;

    memset(header + CHECKSUM, ' ', 8);
    for (unsigned i = 0; i < BLOCK; i++)
        checksum += header[i];
    snprintf((char *)header + CHECKSUM, 8, "%06o", checksum);
}

static void put(unsigned block, const char *name, char type, unsigned size)
{
    unsigned char *header = bytes + block * BLOCK;

    snprintf((char *)header, 100, "%s", name);
    snprintf((char *)header + SIZE, 12, "%011o", size);
    header[TYPE] = (unsigned char)type;
    memcpy(header + MAGIC,
           "ustar\0"
           "00",
           8);
    sum(header);
}

/* bin/, bin/first with 600 bytes, and the end. */
static int make(void **state)
{
    (void)state;
    memset(bytes, 0, sizeof(bytes));
    put(0, "bin/", '5', 0);
    put(1, "bin/first", '0', 600);
    memset(bytes + 2 * BLOCK, 'x', 600);
    archive = (struct ustar){.bytes = bytes, .size = sizeof(bytes)};
    return 0;
}

static int next(void)
{
    return ustar_next(&archive, &entry, &why);
}

static void test_entries_come_in_order(void **state)
{
    (void)state;
    assert_int_equal(next(), 1);
    assert_string_equal(entry.path, "/bin");
    assert_int_equal(entry.kind, FS_DIRECTORY);
    assert_int_equal(next(), 1);
    assert_string_equal(entry.path, "/bin/first");
    assert_int_equal(entry.kind, FS_FILE);
    assert_int_equal(entry.size, 600);
    assert_ptr_equal(entry.bytes, bytes + 2 * BLOCK);
    assert_int_equal(next(), 0);
    assert_int_equal(next(), 0);
}

static void test_paths_have_prefixes(void **state)
{
    (void)state;
    snprintf((char *)bytes + PREFIX, 155, "usr/local");
    sum(bytes);
    assert_int_equal(next(), 1);
    assert_string_equal(entry.path, "/usr/local/bin");
    archive.at = 0;
    put(0, "./bin/", '5', 0);
    memset(bytes + PREFIX, 0, 155);
    sum(bytes);
    assert_int_equal(next(), 1);
    assert_string_equal(entry.path, "/bin");
}

static void test_an_archive_may_end_without_its_end(void **state)
{
    (void)state;
    archive.size = 2 * BLOCK + 600;
    assert_int_equal(next(), 1);
    assert_int_equal(next(), 1);
    assert_int_equal(next(), 0);
}

static void assert_refused(const char *reason)
{
    archive.at = 0;
    assert_int_equal(next(), -EINVAL);
    assert_string_equal(why.text, reason);
}

static void test_what_is_wrong_is_said(void **state)
{
    bytes[3] ^= 1;
    assert_refused("byte 0 of the archive: the header's checksum is wrong");
    make(state);
    bytes[MAGIC] = 'U';
    sum(bytes);
    assert_refused("byte 0 of the archive: not a ustar header");
    make(state);
    put(0, "link", '2', 0);
    assert_refused("byte 0 of the archive: neither a file nor a directory");
    put(0, "long", '0', 5 * BLOCK + 1);
    assert_refused("byte 0 of the archive: a file is longer than the archive");
    put(0, "all", '0', 5 * BLOCK);
    archive.at = 0;
    assert_int_equal(next(), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_entries_come_in_order, make),
        cmocka_unit_test_setup(test_paths_have_prefixes, make),
        cmocka_unit_test_setup(test_an_archive_may_end_without_its_end, make),
        cmocka_unit_test_setup(test_what_is_wrong_is_said, make),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
