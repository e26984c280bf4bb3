/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Address spaces of programs, and the kernel's access to their memory. For kernel/user;
 * docs/programs.md.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arch_stack;

/* An address space: a lower half of its own, and the kernel's upper half. */
struct arch_space;

/* Whether a page can be written or executed by the program; never both. */
enum arch_page { ARCH_PAGE_READ = 0, ARCH_PAGE_WRITE = 1, ARCH_PAGE_EXECUTE = 2 };

/* Makes an empty space; NULL: there is no memory. Task context. */
struct arch_space *arch_space_create(void);

/* Gives back all its pages. No CPU runs in it or reads it any more. Task context. */
void arch_space_destroy(struct arch_space *space);

/*
 * Maps a page of zeros at `address`, a multiple of PAGE_SIZE in the program's range where nothing
 * is mapped; and unmaps it, which only the program itself may request. False: there is no memory,
 * or nothing to unmap. Task context.
 */
bool arch_space_map(struct arch_space *space, uintptr_t address, enum arch_page access);
bool arch_space_unmap(struct arch_space *space, uintptr_t address);

/*
 * This CPU switches to that space (NULL: only the kernel's), and traps from user mode arrive on
 * that stack. Interrupts off; called by the scheduler at each switch, and by code that ends a
 * program.
 */
void arch_space_enter(const struct arch_space *space, const struct arch_stack *stack);

/*
 * Reads or writes memory of a program by a walk over its page tables in software: only memory that
 * is mapped for the program is accessed, so this cannot fault, and SMAP does not matter. False if a
 * byte of [address, address + length) is not mapped for the program, or has to be written and is
 * not writable; the bytes before that page have been copied. Any context while the space exists;
 * only the program's own thread changes it.
 */
bool arch_user_read(const struct arch_space *space, uintptr_t address, void *to, size_t length);
bool arch_user_write(struct arch_space *space, uintptr_t address, const void *from, size_t length);

/*
 * The kernel's own address of that memory: of the byte at `address`; *length is reduced to what
 * lies in its page. NULL in the cases above; the loader asks with ARCH_PAGE_READ and may write.
 */
void *arch_user_reach(const struct arch_space *space, uintptr_t address, enum arch_page access,
                      size_t *length);
