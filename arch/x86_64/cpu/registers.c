/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers by number (arch/regs.h). Pure, any context. */
#include "arch/regs.h"

#include <asm/perf_regs.h>

#define SAMPLED_PLACE(field, name, ...) [PERF_REG_X86_##name] = offsetof(struct regs, field),
#define SAMPLED_NAME(field, name, ...)  [PERF_REG_X86_##name] = #name,
#define SAMPLED_BIT(field, name, ...)   +(1ull << PERF_REG_X86_##name)
#define GENERAL_PLACE(field, ...)       [REGISTER_##field] = offsetof(struct regs, field),
#define GENERAL_NAME(field, ...)        [REGISTER_##field] = #field,

const uint8_t arch_sampled_places[ARCH_SAMPLED_BITS] = {REGISTERS_GENERAL(SAMPLED_PLACE)
                                                            REGISTERS_OTHER(SAMPLED_PLACE)};

const char arch_sampled_names[ARCH_SAMPLED_BITS][6] = {
    REGISTERS_GENERAL(SAMPLED_NAME) REGISTERS_OTHER(SAMPLED_NAME)[PERF_REG_X86_DS] = "DS",
    [PERF_REG_X86_ES] = "ES", [PERF_REG_X86_FS] = "FS", [PERF_REG_X86_GS] = "GS"};

static const uint8_t general_places[ARCH_GENERAL_REGISTERS] = {REGISTERS_GENERAL(GENERAL_PLACE)};

const char arch_general_names[ARCH_GENERAL_REGISTERS][4] = {REGISTERS_GENERAL(GENERAL_NAME)};

_Static_assert(ARCH_SAMPLED == REGISTERS_GENERAL(SAMPLED_BIT) REGISTERS_OTHER(SAMPLED_BIT),
               "a sample can carry what a frame has");
_Static_assert(ARCH_SAMPLED_BITS == PERF_REG_X86_64_MAX, "perf knows no others");

uint64_t arch_register(const struct regs *regs, unsigned number)
{
    return *(const uint64_t *)((const char *)regs + general_places[number]);
}
