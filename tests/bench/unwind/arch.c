/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The part of the kernel's contract (arch/) that the unwinder uses, for this program: its text is
 * the section with the chains, its stack is the one that main runs on, and there are no traps.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <err.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

#include "arch/memory.h"
#include "arch/regs.h"
#include "arch/snapshot.h"
#include "arch/unwind.h"
#include "core/lib/assert.h"
#include "core/symbols/symbols.h"
#include "tests/bench/unwind/methods.h"

/* Defined by the linker: the section's bounds and the file's head, which is also loaded. */
extern const char __start_chain_text[], __stop_chain_text[];
extern const char __ehdr_start[];

static struct arch_stack stack = {.name = "main"};

uintptr_t arch_text_start(void)
{
    return (uintptr_t)__start_chain_text;
}

uintptr_t arch_text_plain_end(void)
{
    return (uintptr_t)__stop_chain_text;
}

uintptr_t arch_text_end(void)
{
    return (uintptr_t)__stop_chain_text;
}

bool arch_is_trap_return(uintptr_t return_address)
{
    (void)return_address;
    return false;
}

/* The snapshots here are from functions that have set up their frames, so no symbol is needed. */
bool symbols_find_address(uintptr_t address, struct symbol *found)
{
    (void)address;
    (void)found;
    return false;
}

uint64_t arch_flags(void)
{
    return FLAGS_FIXED;
}

bool bench_stack_init(void)
{
    pthread_attr_t attributes;
    void *low;
    size_t size;

    if (pthread_getattr_np(pthread_self(), &attributes) ||
        pthread_attr_getstack(&attributes, &low, &size))
        return false;
    stack.guard = stack.low = (uintptr_t)low;
    stack.high = stack.low + size;
    return !pthread_attr_destroy(&attributes);
}

const struct arch_stack *arch_stack_find(uintptr_t address)
{
    return address > stack.guard && address <= stack.high ? &stack : NULL;
}

/* The description in the note with this type and the owner "GNU"; NULL if the segment has none. */
static const uint8_t *find_note(const Elf64_Phdr *segment, Elf64_Word type)
{
    const char *at = (const char *)segment->p_vaddr, *end = at + segment->p_memsz;

    while (at < end) {
        const Elf64_Nhdr *note = (const Elf64_Nhdr *)at;
        const char *name = at + sizeof(*note);
        const char *description = name + (note->n_namesz + 3) / 4 * 4;

        if (note->n_type == type && strcmp(name, "GNU") == 0)
            return (const uint8_t *)description;
        at = description + (note->n_descsz + 3) / 4 * 4;
    }
    return NULL;
}

const uint8_t *arch_build_id(void)
{
    static const uint8_t none[ARCH_BUILD_ID_SIZE];
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)__ehdr_start;
    const Elf64_Phdr *segments = (const Elf64_Phdr *)(__ehdr_start + head->e_phoff);
    const uint8_t *found = NULL;

    for (unsigned i = 0; i < head->e_phnum && !found; i++)
        if (segments[i].p_type == PT_NOTE)
            found = find_note(&segments[i], NT_GNU_BUILD_ID);
    return found ? found : none;
}

_Noreturn void assert_failed(const char *claim, const char *file, int line)
{
    errx(1, "%s:%d: not so: %s", file, line, claim);
}
