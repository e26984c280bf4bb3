/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares arch_frame_at, which reads a function's bytes, with the compiler's call frame
 * information at every instruction of the kernel's text: the register from which the CFA (the
 * caller's sp) is computed, and whether the frame pointer is still the caller's. Functions are
 * found in the kernel's own symbol table.
 *
 * Exempt are: code outside functions; the trap entries, whose frames are a struct regs;
 * boot_entry_high, ap_entry_high, thread_start and a program's _start, which have no caller;
 * arch_switch, which has an ordinary frame but rules relative to rsp, because it changes stacks;
 * and alignment padding inside a function behind a jump or return, unless a jump leads to it: it
 * does not run, and its information is arbitrary.
 *
 * usage: objdump -d --no-show-raw-insn -j .text KERNEL | frame_cfi KERNEL
 *        a line "mismatch FUNCTION+OFFSET: ..." for each, then the counts; status 1 if there is one
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

#include "arch/unwind.h"
#include "core/abi/symtab.h"
#include "core/lib/assert.h"
#include "core/lib/refusal.h"
#include "core/symbols/symbols.h"

#define DWARF_RBP 6
#define DWARF_RSP 7

/* The linker script's reserved section, filled from the kernel's own. */
#define SYMTAB_ROOM 0x80000
__asm__(".bss\n"
        ".balign 4096\n"
        ".globl symtab_start, symtab_end, symtab_room\n"
        "symtab_room:\n"
        "symtab_start: .skip 0x80000\n"
        "symtab_end:\n"
        ".text\n");
extern char symtab_room[SYMTAB_ROOM];

struct kernel {
    Elf *elf;
    Dwarf_CFI *cfi;
    const uint8_t *text; /* its bytes, and where they lie in the kernel */
    uint64_t text_address;
    uint64_t text_size;
    uint64_t entries_start, entries_end; /* the trap entries */
};

/*
 * The function under test, in memory of exactly its size, so that the sanitizer detects reads
 * beside it.
 */
struct function {
    uint64_t address;
    uint8_t *bytes;
};

/* A line of the disassembly. */
struct instruction {
    uint64_t address;
    uint64_t target; /* jump target; 0 if none is printed */
    bool is_nop;
    bool is_end; /* execution does not continue after it */
};

struct code {
    struct instruction *instructions;
    size_t count;
    uint64_t *targets; /* of all instructions, sorted */
};

struct counts {
    unsigned long compared[3]; /* by enum arch_frame */
    unsigned long exempt, mismatches;
};

static const char *const frame_names[] = {
    [ARCH_FRAME_SET] = "set", [ARCH_FRAME_SAVED] = "saved", [ARCH_FRAME_NONE] = "none"};

enum fp_place {
    FP_IN_REGISTER,
    FP_IN_FRAME, /* at CFA - 16 */
    FP_ELSEWHERE,
};

static const char *const fp_place_names[] = {
    [FP_IN_REGISTER] = "the caller's", [FP_IN_FRAME] = "saved", [FP_ELSEWHERE] = "elsewhere"};

/* The CFI's rules at an instruction. */
struct frame_rule {
    uint64_t cfa_register;
    int64_t cfa_offset;
    enum fp_place fp;
};

static Elf_Scn *section_find(struct kernel *kernel, const char *name, GElf_Shdr *header)
{
    Elf_Scn *section = NULL;
    size_t names;

    if (elf_getshdrstrndx(kernel->elf, &names) != 0)
        errx(2, "no section names");
    while ((section = elf_nextscn(kernel->elf, section))) {
        gelf_getshdr(section, header);
        if (strcmp(elf_strptr(kernel->elf, names, header->sh_name), name) == 0)
            return section;
    }
    errx(2, "no section %s", name);
}

static const Elf_Data *section_data(struct kernel *kernel, const char *name, GElf_Shdr *header)
{
    return elf_rawdata(section_find(kernel, name, header), NULL);
}

/* 0 if there is none. */
static uint64_t elf_symbol(struct kernel *kernel, const char *name)
{
    GElf_Shdr header;
    Elf_Data *data = elf_getdata(section_find(kernel, ".symtab", &header), NULL);
    GElf_Sym symbol;

    for (int i = 0; gelf_getsym(data, i, &symbol); i++)
        if (strcmp(elf_strptr(kernel->elf, header.sh_link, symbol.st_name), name) == 0)
            return symbol.st_value;
    return 0;
}

/*
 * Gives core/symbols/symbols.c the table that tools/symtab wrote into this kernel; its header
 * contains the build id.
 */
static void symbols_load(struct kernel *kernel)
{
    GElf_Shdr header;
    const Elf_Data *data = section_data(kernel, ".symtab_blob", &header);
    struct refusal why;

    if (data->d_size > SYMTAB_ROOM)
        errx(2, "symbol table of %zu bytes", data->d_size);
    memcpy(symtab_room, data->d_buf, data->d_size);
    if (symbols_init(((const struct symtab_header *)symtab_room)->build_id, SYMTAB_BUILD_ID_SIZE,
                     &why))
        errx(2, "%s", why.text);
}

static void kernel_open(struct kernel *kernel, const char *path)
{
    int file = open(path, O_RDONLY);
    const Elf_Data *data;
    GElf_Shdr header;

    elf_version(EV_CURRENT);
    kernel->elf = file < 0 ? NULL : elf_begin(file, ELF_C_READ, NULL);
    if (!kernel->elf)
        err(2, "%s", path);
    data = section_data(kernel, ".text", &header);
    kernel->text = data->d_buf;
    kernel->text_address = header.sh_addr;
    kernel->text_size = data->d_size;
    kernel->entries_start = elf_symbol(kernel, "nowatch_text_start");
    kernel->entries_end = elf_symbol(kernel, "nowatch_text_end");
    kernel->cfi = dwarf_getcfi_elf(kernel->elf);
    if (!kernel->cfi)
        errx(2, "%s: no .eh_frame", path);
    symbols_load(kernel);
}

/* The place of the caller's rbp. */
static enum fp_place rule_fp_place(Dwarf_Frame *frame)
{
    Dwarf_Op memory[3], *operations;
    size_t count;

    if (dwarf_frame_register(frame, DWARF_RBP, memory, &operations, &count) != 0)
        return FP_ELSEWHERE;
    if (count == 0)
        return operations ? FP_ELSEWHERE : FP_IN_REGISTER;
    if (count == 2 && operations[0].atom == DW_OP_call_frame_cfa &&
        operations[1].atom == DW_OP_plus_uconst && (int64_t)operations[1].number == -16)
        return FP_IN_FRAME;
    return FP_ELSEWHERE;
}

/* False if the CFI does not cover `address` or uses an expression. */
static bool rule_find(const struct kernel *kernel, uint64_t address, struct frame_rule *rule)
{
    Dwarf_Frame *frame;
    Dwarf_Op *operations;
    size_t count;
    bool simple;

    if (dwarf_cfi_addrframe(kernel->cfi, address, &frame) != 0)
        return false;
    /* libdw represents every "register plus offset" like this. */
    simple = dwarf_frame_cfa(frame, &operations, &count) == 0 && count == 1 &&
             operations[0].atom == DW_OP_bregx;
    if (simple)
        *rule = (struct frame_rule){.cfa_register = operations[0].number,
                                    .cfa_offset = (int64_t)operations[0].number2,
                                    .fp = rule_fp_place(frame)};
    free(frame);
    return simple;
}

/*
 * The frame's place according to the CFI; false if it is none that arch_frame_at can return. After
 * `pop rbp` clang's CFI still has rbp in the frame: both the memory and the register hold it.
 */
static bool rule_frame(const struct frame_rule *rule, enum arch_frame *frame)
{
    if (rule->fp == FP_ELSEWHERE)
        return false;
    if (rule->cfa_register == DWARF_RSP && rule->cfa_offset == 8)
        *frame = ARCH_FRAME_NONE;
    else if (rule->cfa_register == DWARF_RSP && rule->cfa_offset == 16)
        *frame = ARCH_FRAME_SAVED;
    else if (rule->cfa_register == DWARF_RBP && rule->cfa_offset == 16 && rule->fp == FP_IN_FRAME)
        *frame = ARCH_FRAME_SET;
    else
        return false;
    return true;
}

static void function_enter(struct function *function, const struct kernel *kernel,
                           const struct symbol *symbol)
{
    uint64_t offset = symbol->address - kernel->text_address;

    if (function->bytes && function->address == symbol->address)
        return;
    if (offset > kernel->text_size || symbol->size > kernel->text_size - offset)
        errx(2, "%s reaches out of .text", symbol->name);
    free(function->bytes);
    function->bytes = malloc(symbol->size);
    if (!function->bytes)
        err(2, "%s", symbol->name);
    memcpy(function->bytes, kernel->text + offset, symbol->size);
    function->address = symbol->address;
}

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/*
 * "ffffffff80102000:\tjmp    ffffffff80102345 <name+0x45>"; false for lines that name a function.
 */
static bool instruction_parse(const char *line, struct instruction *instruction)
{
    const char *text = strstr(line, ":\t");
    const char *operand;

    *instruction = (struct instruction){0};
    if (!text || sscanf(line, " %" SCNx64 ":", &instruction->address) != 1)
        return false;
    text += 2;
    instruction->is_nop = starts_with(text, "nop") || starts_with(text, "cs nop") ||
                          starts_with(text, "data16") || starts_with(text, "xchg   %ax,%ax");
    instruction->is_end =
        starts_with(text, "ret") || starts_with(text, "jmp") || starts_with(text, "ud2");
    operand = strchr(text, ' ');
    if (text[0] == 'j' && operand)
        sscanf(operand, " %" SCNx64 " <", &instruction->target);
    return true;
}

static int by_value(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return (a > b) - (a < b);
}

static struct code code_read(FILE *file)
{
    struct instruction instruction;
    struct code code = {0};
    size_t room = 0;
    char line[512];

    while (fgets(line, sizeof(line), file)) {
        if (!instruction_parse(line, &instruction))
            continue;
        if (code.count == room) {
            room = 2 * room + 1024; /* each growth copies everything */
            code.instructions = reallocarray(code.instructions, room, sizeof(*code.instructions));
        }
        code.instructions[code.count++] = instruction;
    }
    code.targets = reallocarray(NULL, code.count + 1, sizeof(*code.targets));
    for (size_t i = 0; i < code.count; i++)
        code.targets[i] = code.instructions[i].target;
    qsort(code.targets, code.count, sizeof(*code.targets), by_value);
    return code;
}

/* True if instruction i, and what is before it back to the last jump or return, is only padding. */
static bool code_is_padding(const struct code *code, size_t i)
{
    while (code->instructions[i].is_nop &&
           !bsearch(&code->instructions[i].address, code->targets, code->count,
                    sizeof(*code->targets), by_value)) {
        if (i == 0 || code->instructions[i - 1].is_end)
            return true;
        i--;
    }
    return false;
}

static bool is_exempt(const char *name)
{
    return strcmp(name, "boot_entry_high") == 0 || strcmp(name, "ap_entry_high") == 0 ||
           strcmp(name, "thread_start") == 0 || strcmp(name, "arch_switch") == 0 ||
           strcmp(name, "_start") == 0;
}

static bool kernel_exempts(const struct kernel *kernel, uint64_t address, struct symbol *symbol)
{
    return (address >= kernel->entries_start && address < kernel->entries_end) ||
           !symbols_find_address(address, symbol) || symbol->size == 0 || is_exempt(symbol->name);
}

static const char *register_name(uint64_t number)
{
    if (number == DWARF_RSP)
        return "rsp";
    return number == DWARF_RBP ? "rbp" : "another register";
}

/* False, with a line that gives the reason, if the two disagree. */
static bool frame_agrees(const struct kernel *kernel, uint64_t address, enum arch_frame told)
{
    enum arch_frame expected;
    struct frame_rule rule;
    char place[96];

    symbols_describe(address, place, sizeof(place));
    if (!rule_find(kernel, address, &rule)) {
        printf("mismatch %s: frame is %s, the CFI says nothing\n", place, frame_names[told]);
        return false;
    }
    if (rule_frame(&rule, &expected) && told == expected)
        return true;
    printf("mismatch %s: frame is %s, the CFI says CFA=%s%+" PRId64 ", rbp %s\n", place,
           frame_names[told], register_name(rule.cfa_register), rule.cfa_offset,
           fp_place_names[rule.fp]);
    return false;
}

static void compare_all(const struct kernel *kernel, const struct code *code, struct counts *counts)
{
    struct function function = {0};
    struct symbol symbol;

    for (size_t i = 0; i < code->count; i++) {
        uint64_t address = code->instructions[i].address;
        enum arch_frame told;

        if (kernel_exempts(kernel, address, &symbol) || code_is_padding(code, i)) {
            counts->exempt++;
            continue;
        }
        function_enter(&function, kernel, &symbol);
        told = arch_frame_at((uintptr_t)function.bytes,
                             (uintptr_t)function.bytes + (address - symbol.address));
        counts->compared[told]++;
        counts->mismatches += !frame_agrees(kernel, address, told);
    }
    free(function.bytes);
}

_Noreturn void assert_failed(const char *claim, const char *file, int line)
{
    fprintf(stderr, "%s:%d: not so: %s\n", file, line, claim);
    abort();
}

int main(int argc, char **argv)
{
    struct kernel kernel = {0};
    struct counts counts = {0};
    struct code code;

    if (argc != 2)
        errx(2, "usage: objdump -d --no-show-raw-insn -j .text KERNEL | frame_cfi KERNEL");
    kernel_open(&kernel, argv[1]);
    code = code_read(stdin);
    compare_all(&kernel, &code, &counts);
    printf("compared %lu: %lu set, %lu saved, %lu none; %lu exempt; %lu mismatches\n",
           counts.compared[0] + counts.compared[1] + counts.compared[2],
           counts.compared[ARCH_FRAME_SET], counts.compared[ARCH_FRAME_SAVED],
           counts.compared[ARCH_FRAME_NONE], counts.exempt, counts.mismatches);
    free(code.instructions);
    free(code.targets);
    dwarf_cfi_end(kernel.cfi);
    elf_end(kernel.elf);
    return counts.mismatches > 0;
}
