/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An invariant of arch/: a violation is reported as an undefined instruction, with the function's
 * name.
 */
#pragma once

#define arch_check(claim)                                                                          \
    do {                                                                                           \
        if (!(claim))                                                                              \
            __builtin_trap();                                                                      \
    } while (0)
