/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares the unwind table inside a kernel with the call frame information that it was made from,
 * at every byte of the text. The table is read as the kernel reads it; the generator's code is not
 * used. Outcomes are compared, not representations: on an invented machine, whose registers and
 * memory hold numbers that hardly repeat, libdw's expressions and the table's rule must give the
 * same return address, sp and frame pointer.
 *
 * Memory below sp belongs to no frame. If the information has a register there, it was popped, so
 * the register itself is right (clang, in epilogues).
 *
 * usage: orc_cfi KERNEL
 *        a line "mismatch ADDRESS: ..." for each, then the counts; status 1 if there is one
 *
 * libs: -ldw -lelf
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <err.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/regs.h"
#include "core/lib/refusal.h"
#include "core/unwind/table.h"

#define DWARF_RBP 6
#define DWARF_RSP 7
#define DWARF_RIP 16
#define REGISTERS 17

#define STACK_MOST 16

struct kernel {
    int file;
    Elf *elf;
    Dwarf_CFI *cfi;
    void *bytes; /* of the table */
    struct unwind_table table;
};

/*
 * Registers at the instruction under test. Memory is not kept: each word is a hash of its address.
 */
struct machine {
    uint64_t registers[REGISTERS];
};

/* The caller, according to one of the two. */
struct caller {
    enum unwind_rule_kind kind;
    uint64_t ip, sp, fp;
};

struct counts {
    unsigned long compared[UNWIND_RULE_KINDS];
    unsigned long bare, mismatches;
};

static const char *const kind_names[] = {
    [UNWIND_RULE_NONE] = "none",           [UNWIND_RULE_CALL] = "call",
    [UNWIND_RULE_TRAP] = "trap",           [UNWIND_RULE_TRAP_REGS] = "trap with struct regs",
    [UNWIND_RULE_OUTERMOST] = "outermost",
};

/* The place in struct regs of the register with this DWARF number. */
static const size_t regs_offsets[] = {
    offsetof(struct regs, ax),  offsetof(struct regs, dx),  offsetof(struct regs, cx),
    offsetof(struct regs, bx),  offsetof(struct regs, si),  offsetof(struct regs, di),
    offsetof(struct regs, bp),  offsetof(struct regs, sp),  offsetof(struct regs, r8),
    offsetof(struct regs, r9),  offsetof(struct regs, r10), offsetof(struct regs, r11),
    offsetof(struct regs, r12), offsetof(struct regs, r13), offsetof(struct regs, r14),
    offsetof(struct regs, r15),
};

/*
 * Results are above every stack pointer of the machine, so a frame found through memory is above
 * sp.
 */
static uint64_t memory_at(uint64_t address)
{
    uint64_t hash = address * 0x9e3779b97f4a7c15u;

    return (hash ^ hash >> 29) >> 2 | UINT64_C(1) << 62;
}

/*
 * Registers are 1 MiB apart, sp lowest, so that they cannot be confused, and addresses relative to
 * another register are above sp.
 */
static struct machine machine_make(void)
{
    struct machine machine;

    for (unsigned i = 0; i < REGISTERS; i++)
        machine.registers[i] = 0x10000000 + (i + 1) * 0x100000 + i * 8;
    machine.registers[DWARF_RSP] = 0x10000000;
    return machine;
}

/* --- libdw's rules ---------------------------------------------------------------------------- */

/*
 * Evaluates the operations that compilers use in call frame information. Dies at others, which the
 * table must have refused. True if the result is a value, false if it is the address of one.
 */
static bool evaluate(const Dwarf_Op *ops, size_t count, const struct machine *machine, uint64_t cfa,
                     uint64_t *result)
{
    uint64_t stack[STACK_MOST] = {0};
    unsigned top = 0;

    for (size_t i = 0; i < count; i++) {
        unsigned atom = ops[i].atom;
        if (top + 1 == STACK_MOST)
            errx(2, "an expression too deep");
        if (atom == DW_OP_call_frame_cfa)
            stack[++top] = cfa;
        else if (atom == DW_OP_bregx && ops[i].number < REGISTERS)
            stack[++top] = machine->registers[ops[i].number] + ops[i].number2;
        else if (atom >= DW_OP_breg0 && atom < DW_OP_breg0 + DWARF_RIP)
            stack[++top] = machine->registers[atom - DW_OP_breg0] + ops[i].number;
        else if (atom == DW_OP_plus_uconst && top > 0)
            stack[top] += ops[i].number;
        else if (atom == DW_OP_deref && top > 0)
            stack[top] = memory_at(stack[top]);
        else if (atom != DW_OP_stack_value || i + 1 != count)
            errx(2, "operation %#x is not known here", atom);
    }
    *result = stack[top];
    return count > 0 && ops[count - 1].atom == DW_OP_stack_value;
}

/* The caller's value of a register; false if it is undefined. *address: its place, 0 if none. */
static bool told_register(Dwarf_Frame *frame, int number, const struct machine *machine,
                          uint64_t cfa, uint64_t *value, uint64_t *address)
{
    Dwarf_Op memory[3], *ops;
    size_t count;
    uint64_t result;

    *address = 0;
    *value = machine->registers[number];
    if (dwarf_frame_register(frame, number, memory, &ops, &count) != 0)
        errx(2, "register %d: %s", number, dwarf_errmsg(-1));
    if (count == 0)
        return ops == NULL;
    if (evaluate(ops, count, machine, cfa, &result)) {
        *value = result;
    } else if (result >= machine->registers[DWARF_RSP]) {
        *address = result;
        *value = memory_at(result);
    }
    return true;
}

/* True if all general registers are saved as in a struct regs that ends at the CFA. */
static bool told_regs(Dwarf_Frame *frame, const struct machine *machine, uint64_t cfa)
{
    uint64_t value, address;

    for (int number = 0; number < DWARF_RIP; number++) {
        uint64_t place = cfa - sizeof(struct regs) + regs_offsets[number];
        if (!told_register(frame, number, machine, cfa, &value, &address) || address != place)
            return false;
    }
    return true;
}

static struct caller told(Dwarf_Frame *frame, const struct machine *machine)
{
    struct caller caller = {.kind = UNWIND_RULE_CALL};
    uint64_t cfa, address;
    Dwarf_Op *ops;
    size_t count;
    bool signal;

    dwarf_frame_info(frame, NULL, NULL, &signal);
    if (dwarf_frame_cfa(frame, &ops, &count) != 0)
        errx(2, "CFA: %s", dwarf_errmsg(-1));
    evaluate(ops, count, machine, 0, &cfa);
    if (!told_register(frame, DWARF_RIP, machine, cfa, &caller.ip, &address))
        caller.kind = UNWIND_RULE_OUTERMOST;
    else if (signal)
        caller.kind = told_regs(frame, machine, cfa) ? UNWIND_RULE_TRAP_REGS : UNWIND_RULE_TRAP;
    told_register(frame, DWARF_RSP, machine, cfa, &caller.sp, &address);
    told_register(frame, DWARF_RBP, machine, cfa, &caller.fp, &address);
    return caller;
}

/* --- The table's rules ------------------------------------------------------------------------ */

static struct caller ruled(const struct unwind_rule *rule, const struct machine *machine)
{
    struct caller caller = {.kind = rule->kind};
    uint64_t frame_pointer = machine->registers[UNWIND_BASE_FRAME_POINTER];
    uint64_t cfa = machine->registers[rule->base] + (uint64_t)(int64_t)rule->cfa_offset;
    bool trap = rule->kind == UNWIND_RULE_TRAP || rule->kind == UNWIND_RULE_TRAP_REGS;

    if (rule->indirect)
        cfa = memory_at(cfa);
    caller.ip = memory_at(trap ? cfa - sizeof(struct regs) + offsetof(struct regs, ip) : cfa - 8);
    caller.sp = trap ? memory_at(cfa - sizeof(struct regs) + offsetof(struct regs, sp)) : cfa;
    caller.fp = frame_pointer;
    if (rule->saved == UNWIND_SAVED_AT_CFA)
        caller.fp = memory_at(cfa + (uint64_t)(int64_t)rule->saved_offset);
    else if (rule->saved == UNWIND_SAVED_AT_FRAME)
        caller.fp = memory_at(frame_pointer + (uint64_t)(int64_t)rule->saved_offset);
    return caller;
}

/* --- Both ------------------------------------------------------------------------------------- */

/* An outermost frame has no caller to compare. */
static bool callers_agree(const struct caller *a, const struct caller *b)
{
    if (a->kind != b->kind)
        return false;
    return a->kind == UNWIND_RULE_OUTERMOST || (a->ip == b->ip && a->sp == b->sp && a->fp == b->fp);
}

static void explain(uint64_t address, const struct caller *info, const struct caller *table)
{
    printf("mismatch %#" PRIx64 ": .eh_frame says %s, ip %#" PRIx64 ", sp %#" PRIx64
           ", rbp %#" PRIx64 "; the table says %s, %#" PRIx64 ", %#" PRIx64 ", %#" PRIx64 "\n",
           address, kind_names[info->kind], info->ip, info->sp, info->fp, kind_names[table->kind],
           table->ip, table->sp, table->fp);
}

static void compare_byte(const struct kernel *kernel, const struct machine *machine,
                         uint32_t offset, struct counts *counts)
{
    unsigned code = unwind_table_code(&kernel->table, offset);
    struct unwind_rule rule = unwind_table_rule(&kernel->table, offset, code);
    struct caller info, table = ruled(&rule, machine);
    uint64_t address = kernel->table.text + offset;
    Dwarf_Frame *frame;

    if (dwarf_cfi_addrframe(kernel->cfi, address, &frame) != 0) {
        counts->bare++;
        return;
    }
    info = told(frame, machine);
    free(frame);
    counts->compared[info.kind]++;
    if (callers_agree(&info, &table))
        return;
    counts->mismatches++;
    explain(address, &info, &table);
}

static const void *section_bytes(Elf *elf, const char *wanted, GElf_Shdr *header)
{
    Elf_Scn *section = NULL;
    size_t names;

    if (elf_getshdrstrndx(elf, &names) != 0)
        errx(2, "no section names");
    while ((section = elf_nextscn(elf, section)))
        if (gelf_getshdr(section, header) &&
            strcmp(elf_strptr(elf, names, header->sh_name), wanted) == 0)
            return elf_rawdata(section, NULL)->d_buf;
    errx(2, "no section %s", wanted);
}

/* Opens the table with the ELF file's text and build id, instead of those in the table itself. */
static void table_open(struct kernel *kernel)
{
    GElf_Shdr text, note, header;
    const uint8_t *notes = section_bytes(kernel->elf, ".note.gnu.build-id", &note);
    const void *bytes = section_bytes(kernel->elf, ".unwind_table", &header);
    struct unwind_table_expected expected;
    struct refusal why;

    section_bytes(kernel->elf, ".text", &text);
    expected = (struct unwind_table_expected){
        .build_id = notes + note.sh_size - UNWIND_TABLE_BUILD_ID_SIZE,
        .text = text.sh_addr,
        .text_end = text.sh_addr + text.sh_size,
    };
    kernel->bytes = malloc(header.sh_size);
    if (!kernel->bytes)
        err(2, "a copy of the table");
    memcpy(kernel->bytes, bytes, header.sh_size);
    if (unwind_table_open(&kernel->table, kernel->bytes, header.sh_size, &expected, &why) != 0)
        errx(2, "%s", why.text);
}

static void kernel_open(struct kernel *kernel, const char *path)
{
    kernel->file = open(path, O_RDONLY);
    elf_version(EV_CURRENT);
    kernel->elf = kernel->file < 0 ? NULL : elf_begin(kernel->file, ELF_C_READ, NULL);
    if (!kernel->elf)
        err(2, "%s", path);
    kernel->cfi = dwarf_getcfi_elf(kernel->elf);
    if (!kernel->cfi)
        errx(2, "%s: no .eh_frame", path);
    table_open(kernel);
}

static void kernel_close(struct kernel *kernel)
{
    dwarf_cfi_end(kernel->cfi);
    elf_end(kernel->elf);
    close(kernel->file);
    free(kernel->bytes);
}

int main(int argc, char **argv)
{
    const struct machine machine = machine_make();
    struct counts counts = {0};
    struct kernel kernel;

    if (argc != 2)
        errx(2, "usage: orc_cfi KERNEL");
    kernel_open(&kernel, argv[1]);
    for (uint32_t offset = 0; offset < kernel.table.text_size; offset++)
        compare_byte(&kernel, &machine, offset, &counts);
    printf("compared %lu: call %lu, trap %lu, trap with struct regs %lu, outermost %lu; padding "
           "%lu; mismatches %lu\n",
           kernel.table.text_size - counts.bare, counts.compared[UNWIND_RULE_CALL],
           counts.compared[UNWIND_RULE_TRAP], counts.compared[UNWIND_RULE_TRAP_REGS],
           counts.compared[UNWIND_RULE_OUTERMOST], counts.bare, counts.mismatches);
    kernel_close(&kernel);
    return counts.mismatches ? 1 : 0;
}
