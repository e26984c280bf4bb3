/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares the code in the kernel's file with the code that QEMU translates, at no cost while code
 * runs: finds where the kernel lies, whether the file is of this build, and which instructions were
 * patched. Called by outside/plugin/translate.c and run.c; one caller at a time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "outside/request.h"

#define CODE_BLOCK_MOST       512 /* instructions of a QEMU block */
#define CODE_INSTRUCTION_MOST 15

struct code_block {
    uint64_t start;
    uintptr_t host; /* where QEMU has the first instruction in its memory; 0: not known */
    size_t size, count;
    uint8_t sizes[CODE_BLOCK_MOST]; /* of each instruction */
    uint8_t bytes[(CODE_BLOCK_MOST + 1) * CODE_INSTRUCTION_MOST + 1];
};

/* False: the file cannot be read. */
bool code_begin(const struct request *request);

/*
 * True if the block is the kernel's. Sets *slide to the block's run-time address minus its address
 * in the file, or to the kernel's slide if the block is not in the file.
 */
bool code_check(const struct code_block *block, uint64_t *slide);

/*
 * Implemented by the plugin: called with how far the kernel has moved, from its link address or
 * from where it was before.
 */
void code_slid(uint64_t by);

/* Blocks of any code so far. */
uint64_t code_blocks(void);

/* True if code at this address is the kernel's: within its text, or in the upper half. */
bool code_is_kernels(uint64_t ip);

/* True once a block was the kernel's. */
bool code_has_run(void);

/* The machine was reset: the code that runs now may be a boot loader. */
void code_reset(void);

/* Must be called at the end; reports the differences. */
void code_end(void);

/* --- For code.c: alike.c --- */

/* True if an instruction is the file's. */
bool alike_instruction(const uint8_t *file, const uint8_t *run, size_t size, uint64_t by);

/*
 * True if the code around file[at] is in memory, too, where QEMU has file[at] at `host`. `size`:
 * bytes of the file. Memory is read by a system call, so it need not exist.
 */
bool alike_around(const uint8_t *file, size_t size, size_t at, uintptr_t host, uint64_t by);

/* The same for its page alone: true also if memory cannot be read. */
bool alike_page(const uint8_t *file, size_t size, size_t at, uintptr_t host, uint64_t by);
