/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares the code in the kernel's file with the code that QEMU translates, at no cost while code
 * runs. This shows where the kernel lies, whether the file is of the same build, and which
 * instructions were patched. Called by outside/plugin/translate.c and
 * run.c; one caller at a time.
 *
 *     text=FIRST:LAST                   the range of all the kernel's code
 *     code=FD:ADDRESS:OFFSET:SIZE       a part of it, in a file that QEMU has inherited; without
 *                                       any, all code that runs in the range is the kernel's
 *
 * The rules, each with its reason:
 *
 *   - The kernel begins with the first block that matches the file. A boot loader at the addresses
 *     of the later kernel does not match. In the low half a block of a few bytes, such as a return,
 *     proves nothing.
 *   - A kernel that relocates itself moves by whole pages. So a block is searched for at the same
 *     offset of each page of the file, and must match exactly once. Several different blocks must
 *     agree on the slide, as a boot loader and the kernel may share a function.
 *   - Code of the high half also runs at low addresses before paging; this is not a slide.
 *   - A field of 4 or 8 bytes that differs by the slide, up or down, was relocated, not patched.
 *   - In another build all code above the first changed function differs; in a patched kernel only
 *     single instructions do. So a block counts as different if more than half of its instructions
 *     differ, and a file is of another build if more than an eighth of the blocks differ. A boot of
 *     Linux, which is patched in 12,000 places, has one in 700.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CODE_BLOCK_MOST       512 /* instructions of a QEMU block */
#define CODE_INSTRUCTION_MOST 15

struct code_block {
    uint64_t start;
    size_t size, count;
    uint8_t sizes[CODE_BLOCK_MOST]; /* of each instruction */
    uint8_t bytes[(CODE_BLOCK_MOST + 1) * CODE_INSTRUCTION_MOST + 1];
};

/* False: not one of these arguments, or its file cannot be read. */
bool code_add(const char *argument);

/*
 * True if the block is the kernel's. *slide is the block's run-time address minus its address in
 * the file, or the kernel's slide if the block is not in the file.
 */
bool code_check(const struct code_block *block, uint64_t *slide);

/* Implemented by the plugin: called with the kernel's slide once it is known. */
void code_slid(uint64_t by);

/* The machine was reset: the code that runs now may be a boot loader. */
void code_reset(void);

/* At the end: reports the differences. */
void code_end(void);
