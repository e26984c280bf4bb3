/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs' address spaces, and how a program starts and enters the kernel: for kernel/user
 * (docs/programs.md).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/program.h"

struct arch_stack;
struct regs;

/*
 * Starts the program at `ip` with this stack pointer and all other registers 0, in the space that
 * was entered last. The thread's own stack is empty from now on. Task context.
 */
_Noreturn void arch_user_begin(uintptr_t ip, uintptr_t sp);

/*
 * Handlers for programs, called on the stack of the program's thread.
 *   call    for `syscall`: the number is regs->error, arguments are in di, si, dx, r10, r8, r9; the
 *           result goes to ax. Interrupts on.
 *   fault   for a program's exception; does not return. Interrupts on.
 *   leave   before a return to the program, interrupts off; may switch threads or not return.
 */
struct arch_user_handlers {
    void (*call)(struct regs *regs);
    void (*fault)(struct regs *regs);
    void (*leave)(struct regs *regs);
};
void arch_user_set_handlers(const struct arch_user_handlers *with);

/*
 * Returns the feature (a phrase) that programs need and the CPUs lack; NULL if none. Any context.
 */
const char *arch_user_missing(void);

/* --- Address spaces, each a private lower half and the kernel's upper half. --- */

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
