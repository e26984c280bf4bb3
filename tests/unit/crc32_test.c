/* SPDX-License-Identifier: BSD-2-Clause */
/* core/lib/crc32.c against the published check value of CRC-32 (IEEE 802.3). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/abi/perf_pipe.h"
#include "core/lib/crc32.h"

static const char text[] = "123456789";

static void it_gives_the_check_value(void **state)
{
    (void)state;
    assert_int_equal(crc32_update(0, text, 9), 0xcbf43926);
    assert_int_equal(crc32_update(0, text, 0), 0);
}

/*
 * Every byte value, so every entry of the table is used; the expected value is from zlib and gzip.
 */
static void every_byte_value_counts(void **state)
{
    uint8_t bytes[256];

    (void)state;
    for (size_t i = 0; i < sizeof(bytes); i++) {
        bytes[i] = (uint8_t)i;
    }
    assert_int_equal(crc32_update(0, bytes, sizeof(bytes)), 0x29058c73);
}

static void any_split_gives_the_crc_of_the_whole(void **state)
{
    (void)state;
    for (size_t first = 0; first <= 9; first++) {
        uint32_t crc = crc32_update(0, text, first);

        assert_int_equal(crc32_update(crc, text + first, 9 - first), 0xcbf43926);
    }
}

static void bytes_that_end_in_their_crc_have_the_crc_of_a_whole_stream(void **state)
{
    uint8_t bytes[9 + sizeof(uint32_t)];
    uint32_t crc = crc32_update(0, text, 9);

    (void)state;
    memcpy(bytes, text, 9);
    memcpy(bytes + 9, &crc, sizeof(crc));
    assert_int_equal(crc32_update(0, bytes, sizeof(bytes)), PERF_PIPE_CRC32_WHOLE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_gives_the_check_value),
        cmocka_unit_test(every_byte_value_counts),
        cmocka_unit_test(any_split_gives_the_crc_of_the_whole),
        cmocka_unit_test(bytes_that_end_in_their_crc_have_the_crc_of_a_whole_stream),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
