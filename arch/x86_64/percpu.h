/* SPDX-License-Identifier: BSD-2-Clause */
/* The boot CPU's own area (struct percpu, arch/x86_64/inline.h) and its descriptor tables. */
#pragma once

#include "arch/x86_64/inline.h"

/* Loads GS, GDT, TSS and IDT for the boot CPU; before it no trap can be taken. */
void percpu_init(void);
