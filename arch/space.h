/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs' address spaces, and the kernel's access to them (docs/programs.md). For kernel/user. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arch_stack;

/* A private lower half, and the kernel's upper half. */
struct arch_space;

/* A program's access to a page: writable or executable, never both. */
enum arch_page { ARCH_PAGE_READ = 0, ARCH_PAGE_WRITE = 1, ARCH_PAGE_EXECUTE = 2 };

/* Creates an empty space; NULL: out of memory. Task context. */
struct arch_space *arch_space_create(void);

/* Frees all pages of the space. No CPU may still run in it or read it. Task context. */
void arch_space_destroy(struct arch_space *space);

/*
 * Map a page of zeros at `address`, aligned and free, in the program's range; and unmap it, only by
 * the program itself. False: out of memory, or nothing mapped. Task context.
 */
bool arch_space_map(struct arch_space *space, uintptr_t address, enum arch_page access);
bool arch_space_unmap(struct arch_space *space, uintptr_t address);

/*
 * Switches this CPU to that space (NULL: only the kernel's); traps from user mode will arrive on
 * that stack. Interrupts off; for the scheduler, and for code that ends a program.
 */
void arch_space_enter(const struct arch_space *space, const struct arch_stack *stack);

/*
 * Read or write a program's memory through its page tables, which cannot fault, also with SMAP.
 * False if a byte is not mapped for the program, or not writable for a write; the bytes before that
 * page have been copied. Any context while the space exists; only its own thread changes it.
 */
bool arch_user_read(const struct arch_space *space, uintptr_t address, void *to, size_t length);
bool arch_user_write(struct arch_space *space, uintptr_t address, const void *from, size_t length);

/*
 * The kernel's address of a program's byte; *length is limited to its page. NULL where
 * arch_user_read or arch_user_write returns false; the loader passes ARCH_PAGE_READ and may write.
 */
void *arch_user_reach(const struct arch_space *space, uintptr_t address, enum arch_page access,
                      size_t *length);
