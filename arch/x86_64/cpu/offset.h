/* SPDX-License-Identifier: BSD-2-Clause */
/* A constant for assembly: builds turn strings with @ in the compiler's output into offsets.inc. */
#pragma once

#define EQU(name, value) __asm__ volatile(".ascii \"@" #name " equ %c0\"" : : "i"(value))
