/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A broken invariant inside arch/: the undefined instruction that follows is reported with this
 * function's name.
 */
#pragma once

#define arch_check(claim)                                                                          \
    do {                                                                                           \
        if (!(claim))                                                                              \
            __builtin_trap();                                                                      \
    } while (0)
