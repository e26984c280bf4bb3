/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The registers of an interrupted or observed context, in the order in which a trap entry leaves
 * them on the stack, from rsp up: pushed by the common path, by the vector's stub, and by the CPU
 * (Intel SDM vol. 3, "Stack Usage on Transfers to Handlers"). Aligned to 16 bytes.
 *
 * Bit 1 of flags distinguishes the two kinds of struct regs: it is set in a trap frame, as the
 * hardware always sets it, and clear in a hot snapshot (snapshot.h). A partial snapshot has only
 * ip, sp and cs, with flags 0 and bp 0; a rewound snapshot is at a caller's return address, and its
 * vector is REGS_REWOUND.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct regs {
    uint64_t r15, r14, r13, r12, bp, bx;           /* common path */
    uint64_t r11, r10, r9, r8, ax, cx, dx, si, di; /* common path */
    uint64_t vector;                               /* stub */
    uint64_t error;                 /* CPU for some vectors, otherwise 0 from the stub */
    uint64_t ip, cs, flags, sp, ss; /* CPU */
};

_Static_assert(sizeof(struct regs) == 11 * 16, "the entry pushes it, and aligns the stack so");
_Static_assert(offsetof(struct regs, vector) == 15 * 8, "15 general registers below the vector");
_Static_assert(offsetof(struct regs, ip) == 17 * 8, "the CPU's frame begins at ip");

/* Intel SDM vol. 3, "System Flags and Fields in the EFLAGS Register" */
#define FLAGS_FIXED     (1ull << 1)
#define FLAGS_TRAP      (1ull << 8)
#define FLAGS_INTERRUPT (1ull << 9)
#define FLAGS_DIRECTION (1ull << 10)
#define FLAGS_NESTED    (1ull << 14)
#define FLAGS_RESUME    (1ull << 16)
#define FLAGS_VM        (1ull << 17) /* virtual-8086 mode, which does not exist in 64-bit mode */
#define FLAGS_ALIGNMENT (1ull << 18) /* with SMAP also: the kernel may access user pages */
/* A debugger may change arithmetic flags, direction, interrupts and alignment. */
#define FLAGS_OF_DEBUGGER 0x00040ed5ull

#define KERNEL_CODE_SELECTOR 0x08
#define RING_OF_SELECTOR     3 /* the bits of a code selector; 0: the kernel */
#define KERNEL_DATA_SELECTOR 0x10
/* `sysret` derives these from STAR; the lower two bits are the ring. */
#define USER_DATA_SELECTOR 0x23
#define USER_CODE_SELECTOR 0x2b

/* True for a trap frame, where every register is known; false for a snapshot. */
static inline bool regs_are_full(const struct regs *regs)
{
    return regs->flags & FLAGS_FIXED;
}

/*
 * True also for some full snapshots, but a frame-pointer chain would end at their bp of 0 anyway.
 */
static inline bool regs_are_partial(const struct regs *regs)
{
    return regs->flags == 0 && regs->bp == 0;
}

/* Turns flags into a snapshot's flags, which no trap frame has. */
static inline uint64_t regs_snapshot_flags(uint64_t flags)
{
    return flags & ~FLAGS_FIXED;
}

static inline bool regs_irq_on(uint64_t flags)
{
    return flags & FLAGS_INTERRUPT;
}

static inline void regs_set_flag(uint64_t *flags, uint64_t flag, bool on)
{
    *flags = on ? *flags | flag : *flags & ~flag;
}

/* Returns a program's frame of which only ip, sp and bp are known. */
static inline struct regs regs_of_program(uint64_t ip, uint64_t sp, uint64_t bp)
{
    return (struct regs){
        .ip = ip, .sp = sp, .bp = bp, .cs = USER_CODE_SELECTOR, .ss = USER_DATA_SELECTOR};
}

#define REGS_REWOUND 256 /* higher than all vectors */
#define REGS_SERVED  258 /* a program's trap frame, inspected before it resumes */
#define REGS_SYSCALL 257 /* built by syscall_entry; `error` is the number of the call */

/* Any selector but the kernel's is a program's. The entries have converted virtual-8086 frames. */
static inline bool regs_user_mode(const struct regs *regs)
{
    return (uint16_t)regs->cs != KERNEL_CODE_SELECTOR;
}

static inline bool regs_are_rewound(const struct regs *regs)
{
    return !regs_are_full(regs) && regs->vector == REGS_REWOUND;
}

/* --- By perf's and by DWARF's numbers: registers.c. --- */

/* The bits of attr.sample_regs_intr that a frame supplies. */
#define ARCH_SAMPLED_BITS 24
#define ARCH_SAMPLED      0xff0fffull /* all but ds, es, fs, gs */

/*
 * Offsets in struct regs, and perf's names, which also cover registers that no frame has. Both are
 * indexed by perf's register number.
 */
extern const uint8_t arch_sampled_places[ARCH_SAMPLED_BITS];
extern const char arch_sampled_names[ARCH_SAMPLED_BITS][6];

/* Names of the general registers, by DWARF number, as in struct regs. */
#define ARCH_GENERAL_REGISTERS 16
extern const char arch_general_names[ARCH_GENERAL_REGISTERS][4];

/*
 * Returns a general register by DWARF number, 0 to 15 (System V ABI, "DWARF Register Number
 * Mapping").
 */
uint64_t arch_register(const struct regs *regs, unsigned number);

/*
 * --- The only table of a trap frame's registers, for registers.c and stop_registers.c. Sources:
 * System V ABI, AMD64 supplement, "DWARF Register Number Mapping"; <asm/perf_regs.h>; the manual of
 * gdb, "i386 Features". ---
 */

/* ROW(field of struct regs, name in PERF_REG_X86_*, gdb number, DWARF number) */
#define REGISTERS_GENERAL(ROW)                                                                     \
    ROW(ax, AX, 0, 0)                                                                              \
    ROW(dx, DX, 3, 1)                                                                              \
    ROW(cx, CX, 2, 2)                                                                              \
    ROW(bx, BX, 1, 3)                                                                              \
    ROW(si, SI, 4, 4)                                                                              \
    ROW(di, DI, 5, 5)                                                                              \
    ROW(bp, BP, 6, 6)                                                                              \
    ROW(sp, SP, 7, 7)                                                                              \
    ROW(r8, R8, 8, 8)                                                                              \
    ROW(r9, R9, 9, 9)                                                                              \
    ROW(r10, R10, 10, 10)                                                                          \
    ROW(r11, R11, 11, 11)                                                                          \
    ROW(r12, R12, 12, 12)                                                                          \
    ROW(r13, R13, 13, 13)                                                                          \
    ROW(r14, R14, 14, 14)                                                                          \
    ROW(r15, R15, 15, 15)

/* ROW(field of struct regs, name in PERF_REG_X86_*, gdb number) */
#define REGISTERS_OTHER(ROW)                                                                       \
    ROW(ip, IP, 16)                                                                                \
    ROW(flags, FLAGS, 17)                                                                          \
    ROW(cs, CS, 18)                                                                                \
    ROW(ss, SS, 19)

/* Register numbers of DWARF. gdb's scripts take names and numbers from here. */
#define REGISTERS_NUMBER(field, name, gdb, dwarf) REGISTER_##field = (dwarf),
enum register_number { REGISTERS_GENERAL(REGISTERS_NUMBER) };
