/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The interrupt descriptor table: all 256 vectors, each on its IST page
 * (arch/x86_64/entry/stacks.h).
 */
#pragma once

#define VECTORS 256

/* idt_init fills the table once from the entry stubs; idt_load loads it. */
void idt_init(void);
void idt_load(void);
