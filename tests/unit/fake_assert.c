/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A failed assertion of the tested code fails the unit test, unless the test expects it (cmocka's
 * expect_assert_failure). Linked into every test that names no other.
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
