/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Suites that run inside the test kernel (build/pitot-test.elf: the kernel and tests/kernel/). Each
 * is a command whose name begins with ktap-; tests/boot/ reads the KTAP that it prints on the
 * console. Task context.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/console/command.h"
#include "core/lib/print.h"

/* One claim, worded as true if it holds. Returns `holds`. */
__attribute__((format(printf, 2, 3))) bool ktap_ok(bool holds, const char *format, ...);

/* Like ktap_ok for two numbers that must be equal; prints both if they differ. */
__attribute__((format(printf, 3, 4))) bool ktap_equal(uint64_t is, uint64_t should_be,
                                                      const char *format, ...);

/* Runs `claims` between the header and the plan; 0 if all held. */
int ktap_run(void (*claims)(void));

#define KTAP_SUITE(suite, text)                                                                    \
    static int ktap_command_##suite(int argc, char **argv)                                         \
    {                                                                                              \
        (void)argc;                                                                                \
        (void)argv;                                                                                \
        return ktap_run(suite##_claims);                                                           \
    }                                                                                              \
    PITOT_COMMAND_AS(ktap_##suite, "ktap-" #suite, "", text, ktap_command_##suite, 0)
