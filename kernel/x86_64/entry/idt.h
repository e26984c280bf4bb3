/* SPDX-License-Identifier: BSD-2-Clause */
/* The interrupt descriptor table: each vector on its IST page (kernel/x86_64/entry/stacks.h). */
#pragma once

/* idt_init fills the table from the entry stubs, once. */
void idt_init(void);
void idt_load(void);
