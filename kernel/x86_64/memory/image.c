/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the text and the build ID are, and how text is written. */
#include "kernel/x86_64/memory/image.h"

#include "arch/memory.h"
#include "arch/site.h"
#include "kernel/x86_64/memory/paging.h"

/* The build ID is an ELF note: header, "GNU", the bytes. */
#define NOTE_HEADER 12
#define NOTE_NAME   4 /* "GNU" and its NUL */

const uint8_t *arch_build_id(void)
{
    return (const uint8_t *)build_id_note + NOTE_HEADER + NOTE_NAME;
}

uintptr_t arch_text_start(void)
{
    return (uintptr_t)_text;
}

uintptr_t arch_text_plain_end(void)
{
    return (uintptr_t)nowatch_text_start;
}

uintptr_t arch_text_end(void)
{
    return (uintptr_t)_etext;
}

/* By a second mapping, as text is never writable where it runs. */
void *arch_text_open(uintptr_t address)
{
    return paging_alias_open(address & ~(PAGE_SIZE - 1)) + address % PAGE_SIZE;
}

void arch_text_close(void)
{
    paging_alias_close();
}
