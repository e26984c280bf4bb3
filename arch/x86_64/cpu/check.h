/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks an invariant inside arch/: the undefined instruction that follows a violation is reported
 * with the name of the calling function.
 */
#pragma once

#define arch_check(claim)                                                                          \
    do {                                                                                           \
        if (!(claim))                                                                              \
            __builtin_trap();                                                                      \
    } while (0)
