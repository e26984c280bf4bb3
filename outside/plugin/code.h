/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The code of the kernel's file, compared with what QEMU translates. That costs nothing while code
 * runs, and tells where the kernel lies, whether the file is of this build, and what was patched.
 * Called by outside/plugin/plugin.c; one caller at a time.
 *
 *     text=FIRST:LAST                   where the kernel's code lies, all of it
 *     code=FD:ADDRESS:OFFSET:SIZE       a part of it, in a file that QEMU has inherited; without
 *                                       any all that runs in the range is the kernel's
 *
 * The rules, each with its reason:
 *
 *   - The kernel begins with the first block that is the file's: a boot loader that runs where the
 *     kernel will lie is not. In the low half a block of a few bytes, a return say, tells nothing.
 *   - A kernel that relocates itself moves by whole pages. So a block's place in the file is looked
 *     for at the same offset of each page, and has to be the only one. Several different blocks
 *     have to agree on the slide: a boot loader and the kernel may share a function.
 *   - Code of the high half also runs below, before paging: that is no slide.
 *   - A field of 4 or 8 bytes that differs by the slide, up or down, was relocated, not patched.
 *   - Another build has other code everywhere above the first function that has changed; a patched
 *     kernel has an instruction here and there. So a block counts as different if more than half of
 *     its instructions are, and a file is of another build if more than an eighth of the blocks is
 *     different. A boot of Linux, which is patched in 12,000 places, has one in 700.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CODE_BLOCK_MOST       512 /* instructions of a block of QEMU's */
#define CODE_INSTRUCTION_MOST 15

struct code_block {
    uint64_t start;
    size_t size, count;
    uint8_t sizes[CODE_BLOCK_MOST]; /* of each instruction */
    uint8_t bytes[(CODE_BLOCK_MOST + 1) * CODE_INSTRUCTION_MOST + 1];
};

/* False: the argument is not of these, or its file cannot be read. */
bool code_add(const char *argument);

/*
 * Whether the block is the kernel's. *slide is how far it lies above its place in the file, or the
 * kernel's slide if it has none.
 */
bool code_check(const struct code_block *block, uint64_t *slide);

/* The plugin's: the kernel runs so far above the addresses of its file. */
void code_slid(uint64_t by);

/* The machine has been reset: what runs now may be a boot loader. */
void code_reset(void);

/* Tells what was different. */
void code_end(void);
