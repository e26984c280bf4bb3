/* SPDX-License-Identifier: BSD-2-Clause */
/* Privileged instructions, one inline function each; checks. For arch/ alone. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Intel SDM vol. 3, "Control Registers" */
#define CR0_PE  (1ull << 0)
#define CR0_EM  (1ull << 2)
#define CR0_ET  (1ull << 4) /* always set */
#define CR0_NE  (1ull << 5)
#define CR0_WP  (1ull << 16)
#define CR4_CET (1ull << 23) /* CR0.WP cannot be cleared while it is set */
#define CR0_PG  (1ull << 31)

#define CR4_PAE      (1ull << 5)
#define CR4_DE       (1ull << 3)
#define CR4_MCE      (1ull << 6)
#define CR4_PGE      (1ull << 7)
#define CR4_UMIP     (1ull << 11)
#define CR4_FSGSBASE (1ull << 16)
#define CR4_OSXSAVE  (1ull << 18)
#define CR4_SMEP     (1ull << 20)
#define CR4_SMAP     (1ull << 21)

/* Intel SDM vol. 2, "CPUID": leaf 7, subleaf 0 */
#define CPUID_7_EBX_SMEP (1u << 7)
#define CPUID_7_EBX_SMAP (1u << 20)
#define CPUID_7_ECX_UMIP (1u << 2)

/* The leaf that reports the highest extended leaf, and that of extended features with `syscall`. */
#define CPUID_EXTENDED             0x80000000u
#define CPUID_EXTENDED_FEATURES    0x80000001u
#define CPUID_EXTENDED_EDX_SYSCALL (1u << 11)

/* Intel SDM vol. 4, "Model-Specific Registers"; "Fast System Calls in 64-Bit Mode" */
#define MSR_EFER           0xc0000080u
#define MSR_STAR           0xc0000081u
#define MSR_LSTAR          0xc0000082u
#define MSR_FMASK          0xc0000084u
#define MSR_FS_BASE        0xc0000100u
#define MSR_GS_BASE        0xc0000101u
#define MSR_KERNEL_GS_BASE 0xc0000102u
#define MSR_PAT            0x277u
#define EFER_SCE           (1ull << 0)
#define EFER_LME           (1ull << 8)
#define EFER_LMA           (1ull << 10)
#define EFER_NXE           (1ull << 11)

#define CPU_CONTROL_REGISTER(name)                                                                 \
    static inline uint64_t cpu_read_##name(void)                                                   \
    {                                                                                              \
        uint64_t value;                                                                            \
        __asm__ volatile("mov %%" #name ", %0" : "=r"(value) : : "memory");                        \
        return value;                                                                              \
    }                                                                                              \
    static inline void cpu_write_##name(uint64_t value)                                            \
    {                                                                                              \
        __asm__ volatile("mov %0, %%" #name : : "r"(value) : "memory");                            \
    }

CPU_CONTROL_REGISTER(cr0)
CPU_CONTROL_REGISTER(cr2)
CPU_CONTROL_REGISTER(cr3)
CPU_CONTROL_REGISTER(cr4)
CPU_CONTROL_REGISTER(dr0)
CPU_CONTROL_REGISTER(dr1)
CPU_CONTROL_REGISTER(dr2)
CPU_CONTROL_REGISTER(dr3)
CPU_CONTROL_REGISTER(dr6)
CPU_CONTROL_REGISTER(dr7)

struct cpuid {
    uint32_t eax, ebx, ecx, edx;
};

static inline struct cpuid cpu_id(uint32_t leaf, uint32_t subleaf)
{
    struct cpuid out;
    __asm__ volatile("cpuid"
                     : "=a"(out.eax), "=b"(out.ebx), "=c"(out.ecx), "=d"(out.edx)
                     : "a"(leaf), "c"(subleaf));
    return out;
}

/* Returns CPUID leaf 7; all zeros if the CPU does not have it. */
static inline struct cpuid cpu_features(void)
{
    return cpu_id(0, 0).eax >= 7 ? cpu_id(7, 0) : (struct cpuid){0, 0, 0, 0};
}

static inline void cpu_write_msr(uint32_t msr, uint64_t value)
{
    __asm__ volatile("wrmsr"
                     :
                     : "c"(msr), "a"((uint32_t)value), "d"((uint32_t)(value >> 32))
                     : "memory");
}

static inline uint64_t cpu_read_msr(uint32_t msr)
{
    uint32_t low, high;
    __asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(msr));
    return (uint64_t)high << 32 | low;
}

static inline uint16_t cpu_read_ldtr(void)
{
    uint16_t value;
    __asm__ volatile("sldt %0" : "=r"(value));
    return value;
}

static inline void cpu_interrupts_on(void)
{
    __asm__ volatile("sti" : : : "memory");
}

static inline void cpu_interrupts_off(void)
{
    __asm__ volatile("cli" : : : "memory");
}

/* Invalidates the translation of one page, even a global one; serialises. */
static inline void cpu_invalidate_page(uintptr_t address)
{
    __asm__ volatile("invlpg (%0)" : : "r"(address) : "memory");
}

/* Checks an invariant of arch/. A violation is reported as an undefined instruction there. */
#define arch_check(claim)                                                                          \
    do {                                                                                           \
        if (!(claim))                                                                              \
            __builtin_trap();                                                                      \
    } while (0)
