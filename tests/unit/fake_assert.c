/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An assert of the code under test that does not hold: the unit test that meets it fails there, or
 * continues if it expects the failure (cmocka's expect_assert_failure). Linked into every test that
 * names no other.
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
