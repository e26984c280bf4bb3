/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds arch_frame_at against the compiler's own call frame information, at every instruction of the kernel's text: where
 * the CFA (the caller's sp) is counted from, and whether the frame pointer is still the caller's, must be what the
 * function's bytes were read as. Functions are found as the kernel finds them, in its own symbol table. Exempt is what
 * lies in no function (padding) and the trap entries, whose frames are a struct regs.
 *
 * usage: objdump -d --no-show-raw-insn -j .text KERNEL | frame_cfi KERNEL
 *        "mismatch FUNCTION+OFFSET: ..." a line for each, then the counts; exits with 1 where there is a mismatch
 *
 * links: arch/x86_64/frame.c core/symbols.c core/refusal.c core/print.c
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

#include "arch/arch.h"
#include "core/abi/symtab.h"
#include "core/refusal.h"
#include "core/symbols.h"

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

/* The function under test, in memory of exactly its size, so that the sanitizer sees a byte read beside it. */
struct function {
    uint64_t address;
    uint8_t *bytes;
};

struct counts {
    unsigned long compared[3]; /* by enum arch_frame */
    unsigned long exempt, mismatches;
};

static const char *const frame_names[] = {
    [ARCH_FRAME_SET] = "set", [ARCH_FRAME_SAVED] = "saved", [ARCH_FRAME_NONE] = "none"};

/* A register's rule in words: what the CFI says where none of the three frames fits. */
struct frame_rule {
    uint64_t cfa_register;
    int64_t cfa_offset;
    bool fp_is_saved;
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

static uint64_t elf_symbol(struct kernel *kernel, const char *name)
{
    GElf_Shdr header;
    Elf_Data *data = elf_getdata(section_find(kernel, ".symtab", &header), NULL);
    GElf_Sym symbol;

    for (int i = 0; gelf_getsym(data, i, &symbol); i++)
        if (strcmp(elf_strptr(kernel->elf, header.sh_link, symbol.st_name), name) == 0)
            return symbol.st_value;
    errx(2, "no symbol %s", name);
}

/* Gives core/symbols.c the table that tools/symtab wrote into this kernel; its header tells the build id. */
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

/* True if the caller's rbp is in memory, or nowhere; false while the register still holds it. */
static bool rule_saves_fp(Dwarf_Frame *frame)
{
    Dwarf_Op memory[3], *operations;
    size_t count;

    if (dwarf_frame_register(frame, DWARF_RBP, memory, &operations, &count) != 0)
        return true;
    return count != 0 || operations != NULL;
}

/* False where the CFI covers nothing at `address` or says it in an expression. */
static bool rule_find(const struct kernel *kernel, uint64_t address, struct frame_rule *rule)
{
    Dwarf_Frame *frame;
    Dwarf_Op *operations;
    size_t count;
    bool simple;

    if (dwarf_cfi_addrframe(kernel->cfi, address, &frame) != 0)
        return false;
    /* libdw gives every "register plus offset" this one form. */
    simple = dwarf_frame_cfa(frame, &operations, &count) == 0 && count == 1 &&
             operations[0].atom == DW_OP_bregx;
    if (simple)
        *rule = (struct frame_rule){.cfa_register = operations[0].number,
                                    .cfa_offset = (int64_t)operations[0].number2,
                                    .fp_is_saved = rule_saves_fp(frame)};
    free(frame);
    return simple;
}

/* Where by the CFI the frame stands; false if in none of the places that arch_frame_at can tell. */
static bool rule_frame(const struct frame_rule *rule, enum arch_frame *frame)
{
    if (rule->cfa_register == DWARF_RSP && rule->cfa_offset == 8 && !rule->fp_is_saved)
        *frame = ARCH_FRAME_NONE;
    else if (rule->cfa_register == DWARF_RSP && rule->cfa_offset == 16)
        *frame = ARCH_FRAME_SAVED;
    else if (rule->cfa_register == DWARF_RBP && rule->cfa_offset == 16 && rule->fp_is_saved)
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

static void compare_at(const struct kernel *kernel, uint64_t address, struct function *function,
                       struct counts *counts)
{
    enum arch_frame told, expected;
    struct frame_rule rule = {0};
    struct symbol symbol;
    char place[96];

    if ((address >= kernel->entries_start && address < kernel->entries_end) ||
        !symbols_find_address(address, &symbol) || symbol.size == 0) {
        counts->exempt++;
        return;
    }
    function_enter(function, kernel, &symbol);
    told = arch_frame_at((uintptr_t)function->bytes,
                         (uintptr_t)function->bytes + (address - symbol.address));
    symbols_describe(address, place, sizeof(place));
    if (!rule_find(kernel, address, &rule)) {
        printf("mismatch %s: frame is %s, the CFI says nothing\n", place, frame_names[told]);
        counts->mismatches++;
    } else if (!rule_frame(&rule, &expected) || told != expected) {
        printf("mismatch %s: frame is %s, the CFI says CFA=%s%+" PRId64 ", rbp %s\n", place,
               frame_names[told],
               rule.cfa_register == DWARF_RSP   ? "rsp"
               : rule.cfa_register == DWARF_RBP ? "rbp"
                                                : "another register",
               rule.cfa_offset, rule.fp_is_saved ? "saved" : "the caller's");
        counts->mismatches++;
    }
    counts->compared[told]++;
}

int main(int argc, char **argv)
{
    struct kernel kernel = {0};
    struct function function = {0};
    struct counts counts = {0};
    uint64_t address;
    char line[512];

    if (argc != 2)
        errx(2, "usage: objdump -d --no-show-raw-insn -j .text KERNEL | frame_cfi KERNEL");
    kernel_open(&kernel, argv[1]);
    /* "ffffffff80102000:\tpush   %rbp"; lines that name a function have no colon there */
    while (fgets(line, sizeof(line), stdin))
        if (sscanf(line, " %" SCNx64 ":\t", &address) == 1 && strstr(line, ":\t"))
            compare_at(&kernel, address, &function, &counts);
    printf("compared %lu: %lu set, %lu saved, %lu none; %lu exempt; %lu mismatches\n",
           counts.compared[0] + counts.compared[1] + counts.compared[2],
           counts.compared[ARCH_FRAME_SET], counts.compared[ARCH_FRAME_SAVED],
           counts.compared[ARCH_FRAME_NONE], counts.exempt, counts.mismatches);
    free(function.bytes);
    dwarf_cfi_end(kernel.cfi);
    elf_end(kernel.elf);
    return counts.mismatches > 0;
}
