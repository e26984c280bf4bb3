/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks an invariant of arch/. A violation is reported as an undefined instruction there. */
#pragma once

#define arch_check(claim)                                                                          \
    do {                                                                                           \
        if (!(claim))                                                                              \
            __builtin_trap();                                                                      \
    } while (0)
