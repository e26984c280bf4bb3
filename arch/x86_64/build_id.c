/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ELF note that the linker was told to make (--build-id=0x...): header, "GNU", then the bytes.
 * Any context.
 */
#include "arch/arch.h"
#include "arch/x86_64/sections.h"

#define NOTE_HEADER 12
#define NOTE_NAME   4 /* "GNU" and its NUL */

const uint8_t *arch_build_id(void)
{
    return (const uint8_t *)build_id_note + NOTE_HEADER + NOTE_NAME;
}
