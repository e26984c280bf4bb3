/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs' address spaces (docs/programs.md), each a private lower half and the kernel's upper
 * half. For kernel/user.
 */
#pragma once

#include "arch/program.h"

struct arch_stack;

/* A program's access to a page: writable or executable, never both. */
enum arch_page { ARCH_PAGE_READ = 0, ARCH_PAGE_WRITE = 1, ARCH_PAGE_EXECUTE = 2 };

/* Creates an empty space; NULL: out of memory. Task context. */
struct arch_space *arch_space_create(void);

/* Frees all pages of the space. No CPU may still run in it or read it. Task context. */
void arch_space_destroy(struct arch_space *space);

/*
 * Map a page of zeros at `address`, which is page-aligned and in the programs' range, or unmap it,
 * which only the program itself may do. arch_space_map returns false if out of memory or if a page
 * is already mapped there, arch_space_unmap if none is mapped. Task context.
 */
bool arch_space_map(struct arch_space *space, uintptr_t address, enum arch_page access);
bool arch_space_unmap(struct arch_space *space, uintptr_t address);

/*
 * Switches this CPU to that space, or to the kernel's alone if NULL; traps from user mode will
 * arrive on that stack. Interrupts off; for the scheduler, and for code that ends a program.
 */
void arch_space_enter(const struct arch_space *space, const struct arch_stack *stack);

/*
 * Returns the kernel's address of a program's byte, and limits *length to the byte's page. Returns
 * NULL where arch_user_read (with ARCH_PAGE_WRITE, arch_user_write) would return false. The loader
 * passes ARCH_PAGE_READ and may write all the same.
 */
void *arch_user_reach(const struct arch_space *space, uintptr_t address, enum arch_page access,
                      size_t *length);
