/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A claim of the code under test that does not hold: the unit test that meets it fails there, or
 * goes on if it expects that (cmocka's expect_assert_failure). Linked in where a test says nothing
 * else of it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/lib/assert.h"

_Noreturn void assert_failed(const char *claim, const char *file, int line)
{
    mock_assert(0, claim, file, line);
    abort();
}
