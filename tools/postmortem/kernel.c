/* SPDX-License-Identifier: BSD-2-Clause */
/* See memory.h. Called by tools/postmortem/main.c. */
#include "tools/postmortem/memory.h"

#include <stdio.h>
#include <string.h>

#include "core/abi/recorder.h"
#include "core/lib/refusal.h"
#include "core/symbols/symbols.h"
#include "tools/image/image.h"

#define SYMTAB_SECTION ".symtab_blob"

/* core/symbols/symbols.c finds the kernel's symbol table here, in a copy of the section. */
#define SYMTAB_ROOM 0x1000000
extern char symtab_start[];
__asm__(".bss\n"
        ".balign 16\n"
        ".globl symtab_start, symtab_end\n"
        "symtab_start: .skip 0x1000000\n"
        "symtab_end:\n"
        ".text\n");

struct wanted {
    const char *name;
    uint64_t *address;
};

/* Searches the global symbols. */
static bool find_symbols(const struct image *image, const struct wanted *wanted, size_t count)
{
    GElf_Shdr header;
    Elf_Data *data = image_symtab(image, &header);
    size_t total = data && header.sh_entsize ? header.sh_size / header.sh_entsize : 0, found = 0;
    GElf_Sym symbol;

    if (!data)
        return false;
    for (size_t i = 0; i < total; i++) {
        if (!gelf_getsym(data, (int)i, &symbol) || GELF_ST_BIND(symbol.st_info) == STB_LOCAL)
            continue;
        const char *name = elf_strptr(image->elf, header.sh_link, symbol.st_name);
        for (size_t j = 0; name && j < count; j++)
            if (strcmp(name, wanted[j].name) == 0) {
                *wanted[j].address = symbol.st_value;
                found++;
            }
    }
    for (size_t j = 0; j < count; j++)
        if (*wanted[j].address == 0)
            return image_complain(image, "no symbol %s: not a kernel that keeps recordings",
                                  wanted[j].name);
    return found >= count;
}

static bool load_symtab(struct kernel *kernel, const struct image *image)
{
    Elf_Data *data = elf_getdata(elf_getscn(image->elf, image->reserved_index), NULL);
    struct refusal why;

    if (!data || data->d_size > SYMTAB_ROOM)
        return image_complain(image, "no table of symbols in %s", SYMTAB_SECTION);
    memcpy(symtab_start, data->d_buf, data->d_size);
    if (symbols_init(kernel->build_id, sizeof(kernel->build_id), &why) != 0)
        return image_complain(image, "%s", why.text);
    return true;
}

static bool read_image(struct kernel *kernel, const struct image *image)
{
    uint64_t end = 0;
    const struct wanted wanted[] = {{"_text", &kernel->text},
                                    {"_etext", &end},
                                    {"build_id_note", &kernel->build_id_note},
                                    {RECORDER_SYMBOL, &kernel->recorder}};

    memcpy(kernel->build_id, image->build_id, sizeof(kernel->build_id));
    if (!find_symbols(image, wanted, sizeof(wanted) / sizeof(wanted[0])))
        return false;
    kernel->text_size = end - kernel->text;
    return load_symtab(kernel, image);
}

bool kernel_open(struct kernel *kernel, const char *path)
{
    struct image image;
    bool done;

    *kernel = (struct kernel){.path = path};
    done =
        image_open(&image, "postmortem", SYMTAB_SECTION, path, false) && read_image(kernel, &image);
    image_close(&image);
    return done;
}

static const char *in_words(const uint8_t *build_id, char *words)
{
    for (unsigned i = 0; i < KERNEL_BUILD_ID_SIZE; i++)
        snprintf(words + 2 * i, 3, "%02x", build_id[i]);
    return words;
}

bool kernel_is_in(const struct kernel *kernel, struct memory *memory)
{
    static const char name[4] = "GNU";
    struct {
        GElf_Nhdr header;
        char name[sizeof(name)];
        uint8_t build_id[KERNEL_BUILD_ID_SIZE];
    } note;
    char theirs[2 * KERNEL_BUILD_ID_SIZE + 1], ours[2 * KERNEL_BUILD_ID_SIZE + 1];

    if (!memory->read(memory, kernel->build_id_note, &note, sizeof(note)) ||
        memcmp(note.name, name, sizeof(name)) != 0)
        return complain(memory->path,
                        "%s is not in that memory: another kernel (-k names its ELF file), or "
                        "one that has not booted yet",
                        kernel->path);
    if (memcmp(note.build_id, kernel->build_id, sizeof(note.build_id)) != 0)
        return complain(memory->path, "a kernel of build id %s; %s has %s: -k names the right file",
                        in_words(note.build_id, theirs), kernel->path,
                        in_words(kernel->build_id, ours));
    return true;
}
