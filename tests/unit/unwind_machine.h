/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A small machine for the tests of the unwinder: it calls, is interrupted and changes stacks, and
 * records the expected chain. Its functions have frame pointers where a compiler would keep them,
 * and its unwind table covers every byte. Walks are compared with unwind_capture_by: whole,
 * truncated, and with frames skipped.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/unwind/unwind.h"
#include "tests/unit/fake_arch.h"
#include "tools/orcgen/table.h"

/* --- Code that frame pointers can follow as well: functions of 64 bytes. --- */

#define FUNCTION_SIZE 64
#define BODY          4    /* offset just after the prologue */
#define EPILOGUE      0x3d /* of `leave` or `pop rbp`; `ret` follows it */
#define FRAMED        16   /* functions 0 to 15 have a frame, */
#define LEAF          16   /* the next one has none, */
#define FLAGS_LEAF    17   /* one pushes flags, as arch/x86_64/cpu/leaf.asm does, */
#define NAMELESS      18   /* one with a frame is missing in the symbol table, */
#define BOOT          19   /* and the last has no caller */
#define FUNCTIONS     20

/* --- Code that only the table can follow, by offset. --- */

/*
 * DIRECT(w, k): w words between sp and the return address, the caller's rbp in the k-th below the
 * return address; 0: rbp is unchanged.
 */
#define DIRECT_WORDS        32
#define DIRECT_SAVED        6
#define DIRECT(words, save) (0x1000u + ((words)*DIRECT_SAVED + (save)) * 16)
/* LISTED(n): 33 + n words, rbp in one of them if n is odd. More rules than codes can number. */
#define LISTED_COUNT    100
#define LISTED(n)       (0x2000u + (n)*8)
#define LISTED_WORDS(n) (33 + (n))
#define LISTED_SAVED(n) (7 + (n) % 20)
#define LISTED_END      0x2400u /* the end of the last one, past the end of its block */
#define REALIGNED_ENTRY 0x2400u /* r10 is the CFA */
#define REALIGNED_BODY  0x2410u /* the CFA is in [rbp - 8], the caller's rbp in [rbp] */
#define AT_FRAME        0x2420u /* CFA = rbp + 40, the caller's rbp in [rbp + 8] */
#define SP_AT_FRAME     0x2428u /* CFA = rsp + 56, the caller's rbp in [rbp + 8] */
#define OUTERMOST       0x2430u
#define TRAP_AT_FRAME   0x2440u /* a whole struct regs at rbp, which no entry has */
#define HALF_AT_FRAME   0x2450u /* the CPU's part of a struct regs below rbp */
#define RULELESS        0x2480u
#define NORETURN        0x2500u /* 3 words; ends with a call at NORETURN_END, where 9 words begin */
#define NORETURN_END    0x2540u
#define STEPS           0x2580u /* 32 one-byte pushes, then as many pops */
#define STEPS_WORDS     32
#define REGISTER(n)     (0x2600u + (n)*4) /* CFA = register n + 16 */
#define FAR             0x11000u          /* past 16 bits of distance: 4 words, rbp in the 2nd */

#define TEXT_PLAIN_END 0x12000u
#define ENTRY          0x12000u /* a trap entry: ip to ss are on the stack, */
#define ENTRY_VECTOR   0x12007u /* also vector and error, */
#define ENTRY_HALF     0x12020u /* 11 registers, rbp the last, */
#define ENTRY_WHOLE    0x12040u /* and all of struct regs */
#define TRAP_RETURN    0x12080u
#define ENTRY_LEFT     0x12090u /* only the CPU's part is left */
#define TEXT_SIZE      0x12200u

extern uint8_t machine_text[TEXT_SIZE];

uintptr_t machine_at(unsigned offset);
uintptr_t function_start(unsigned function);
uintptr_t body_of(unsigned function);

/* --- The machine. --- */

#define DEPTH_MOST  512
#define STACK_WORDS 1024

struct machine {
    uintptr_t ip, sp, fp;
    uintptr_t callers[DEPTH_MOST]; /* outermost first */
    unsigned depth;
    unsigned stacks; /* how many are in use */
};

extern const struct arch_stack *machine_stacks[FAKE_STACKS_MAX];

/* cmocka's setup: code, stacks, and the table opened by unwind_init. */
int machine_setup(void **state);
void machine_place_text(void);

/* The table's rows and its bytes, which the machine owns. */
const struct table_row *machine_rows(size_t *count);
const struct table *machine_table(void);

/* Starts on the first stack, in the function without a caller. */
struct machine machine_start(void);
struct machine machine_three_calls_deep(void);
void machine_push(struct machine *machine, uint64_t value);

/* Calls to the first instruction of a function; continues into its body, with room for locals. */
void machine_call(struct machine *machine, unsigned function);
void machine_prologue(struct machine *machine, unsigned locals);

/*
 * Calls to `offset`, with `words` pushed. With `saved`, the caller's rbp is in that word below the
 * return address, and rbp is then arbitrary.
 */
void machine_call_at(struct machine *machine, unsigned offset, unsigned words, unsigned saved);
void machine_call_realigned(struct machine *machine, unsigned misalignment);

struct regs machine_regs(const struct machine *machine);

/* A trap, handled on the same stack or on the next one; its entry calls `handler`. */
void machine_trap(struct machine *machine, bool other_stack, uintptr_t handler);

/* A trap whose entry has reached `offset` and pushed the upper `words` of the struct regs. */
void machine_trap_half(struct machine *machine, bool other_stack, unsigned offset, unsigned words);

/* --- Walks. --- */

#define WALK_MOST 2048

struct walk {
    uint64_t ip[WALK_MOST];
    uint8_t kind[WALK_MOST];
    size_t count;
    enum unwind_end end;
};

/* Iterates, and compares with the chain that the hit path captures. */
struct walk walk_by(enum unwind_method method, const struct regs *regs);
struct walk walk_from(const struct regs *regs); /* by the default method */

void assert_walk(const struct regs *regs, size_t count, enum unwind_end end);

/* The chain from here is the recorded one, to the last frame. */
void assert_chain(const struct machine *machine);
void assert_chain_from(const struct machine *machine, const struct regs *regs);

/* --- Random numbers. --- */

void chance_begin(uint32_t seed);
unsigned chance(unsigned sides); /* 0 to sides - 1 */

/* Contents that a corrupt stack may have, often enough with values that fit. */
void fill_with_noise(void *memory, size_t words, const struct arch_stack *const *stacks,
                     unsigned count);
