/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Address spaces of programs, and the kernel's way to their memory. For kernel/user; docs/user.md.
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

/* Empty; NULL: there is no memory. Task context. */
struct arch_space *arch_space_create(void);

/* Gives back all its pages. No CPU runs in it or reads it any more. Task context. */
void arch_space_destroy(struct arch_space *space);

/*
 * A page of memory, all zero, at `address`, a multiple of PAGE_SIZE in the program's range where
 * nothing is mapped; and taken away again, which its own program alone may have done. False: there
 * is no memory, or nothing to take. Task context.
 */
bool arch_space_map(struct arch_space *space, uintptr_t address, enum arch_page access);
bool arch_space_unmap(struct arch_space *space, uintptr_t address);

/*
 * This CPU switches to that space, NULL: to none but the kernel's, and traps from user mode arrive
 * on that stack. Interrupts off; called by the scheduler at each switch, and by code that ends a
 * program.
 */
void arch_space_enter(const struct arch_space *space, const struct arch_stack *stack);

/*
 * Memory of a program, by a walk over its page tables in software: nothing is touched that is not
 * there for the program, so this cannot fault, and needs no leave of SMAP. False, and what lies in
 * front of the bad page done: a byte of [address, address + length) is not mapped for it, or to be
 * written and not writable. Any context while the space exists; the program's own thread changes
 * it.
 */
bool arch_user_read(const struct arch_space *space, uintptr_t address, void *to, size_t length);
bool arch_user_write(struct arch_space *space, uintptr_t address, const void *from, size_t length);

/*
 * Where the kernel has that memory: the byte at `address`, and as much of *length after it as lies
 * in its page. NULL as above; the loader asks with ARCH_PAGE_READ and may write.
 */
void *arch_user_reach(const struct arch_space *space, uintptr_t address, enum arch_page access,
                      size_t *length);
