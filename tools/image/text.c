/* SPDX-License-Identifier: BSD-2-Clause */
/* See text.h. */
#include "tools/image/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/image/allocate.h"

/* Splits "START,END" into the names of the two marks. */
static bool read_marks(struct text *text, const char *spelt)
{
    const char *comma = spelt ? strchr(spelt, ',') : NULL;

    if (!spelt) {
        strcpy(text->start, "_text");
        strcpy(text->end, "_etext");
        return true;
    }
    if (!comma || comma == spelt || !comma[1] || comma - spelt >= TEXT_MARK_SIZE ||
        strlen(comma + 1) >= TEXT_MARK_SIZE)
        return image_complain(text->image, "--text %s: two symbols are wanted, START,END", spelt);
    snprintf(text->start, TEXT_MARK_SIZE, "%.*s", (int)(comma - spelt), spelt);
    strcpy(text->end, comma + 1);
    return true;
}

static bool find_marks(struct text *text, Elf_Data *data, const GElf_Shdr *header)
{
    bool start = false, end = false;
    uint64_t behind = 0;
    GElf_Sym symbol;

    for (int i = 0; gelf_getsym(data, i, &symbol); i++) {
        const char *name = elf_strptr(text->image->elf, header->sh_link, symbol.st_name);
        if (name && strcmp(name, text->start) == 0) {
            text->address = symbol.st_value;
            start = true;
        } else if (name && strcmp(name, text->end) == 0) {
            behind = symbol.st_value;
            end = true;
        }
    }
    if (!start || !end)
        return image_complain(text->image,
                              "no symbol %s: the linker script must mark where the text "
                              "begins and ends, as _text and _etext, or --text START,END",
                              start ? text->end : text->start);
    if (behind <= text->address || behind - text->address > UINT32_MAX)
        return image_complain(text->image,
                              "%s is at %#" PRIx64 ", %s at %#" PRIx64
                              ": the text must have between 1 byte and 4 GiB",
                              text->start, text->address, text->end, behind);
    text->size = (uint32_t)(behind - text->address);
    return true;
}

static bool is_exempt(const char *name, const char *const *exempt, size_t exempt_count)
{
    for (size_t i = 0; i < exempt_count; i++)
        if (strcmp(name, exempt[i]) == 0)
            return true;
    return false;
}

static bool read_section(struct text *text, Elf_Scn *section, const GElf_Shdr *header)
{
    const Elf_Data *data = elf_rawdata(section, NULL);
    uint64_t offset = header->sh_addr - text->address;

    if (offset > text->size || header->sh_size > text->size - offset)
        return image_complain(text->image,
                              "section %s has code outside %s and %s: put it between them, or "
                              "exempt it (--exempt)",
                              image_section_name(text->image, header), text->start, text->end);
    if (!data || !data->d_buf || data->d_size != header->sh_size)
        return image_complain(text->image, "cannot read section %s",
                              image_section_name(text->image, header));
    memcpy(text->bytes + offset, data->d_buf, data->d_size);
    return true;
}

static bool read_sections(struct text *text, const char *const *exempt, size_t exempt_count)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;

    while ((section = elf_nextscn(text->image->elf, section)) != NULL) {
        if (!gelf_getshdr(section, &header))
            return image_complain(text->image, "%s", elf_errmsg(-1));
        if (!(header.sh_flags & SHF_EXECINSTR) || header.sh_size == 0 ||
            is_exempt(image_section_name(text->image, &header), exempt, exempt_count))
            continue;
        if (!read_section(text, section, &header))
            return false;
    }
    return true;
}

/*
 * Sorts by offset. At one offset the best name comes last: functions after other symbols, then
 * symbols with a size after those without.
 */
static int by_offset(const void *left, const void *right)
{
    const struct text_symbol *a = left, *b = right;

    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    if (a->function != b->function)
        return a->function - b->function;
    if (!a->size != !b->size)
        return !b->size - !a->size;
    return a->order > b->order ? -1 : 1;
}

static bool read_symbols(struct text *text, Elf_Data *data, const GElf_Shdr *header)
{
    GElf_Sym symbol;

    text->symbols = calloc(data->d_size / sizeof(Elf64_Sym) + 1, sizeof(*text->symbols));
    if (!text->symbols)
        return image_complain(text->image, "out of memory");
    for (int i = 0; gelf_getsym(data, i, &symbol); i++) {
        int type = GELF_ST_TYPE(symbol.st_info);
        const char *name = elf_strptr(text->image->elf, header->sh_link, symbol.st_name);
        uint64_t offset = symbol.st_value - text->address;
        if ((type != STT_FUNC && type != STT_NOTYPE) || symbol.st_shndx == SHN_UNDEF || !name ||
            offset >= text->size || symbol.st_size > text->size - offset)
            continue;
        text->symbols[text->symbol_count++] = (struct text_symbol){
            .name = name,
            .offset = (uint32_t)offset,
            .size = (uint32_t)symbol.st_size,
            .order = (uint32_t)i,
            .function = type == STT_FUNC,
        };
    }
    qsort(text->symbols, text->symbol_count, sizeof(*text->symbols), by_offset);
    return true;
}

bool text_read(struct text *text, const struct image *image, const struct order *order)
{
    GElf_Shdr header;
    Elf_Data *data = image_symtab(image, &header);

    *text = (struct text){.image = image};
    if (!data || !read_marks(text, order->text) || !find_marks(text, data, &header))
        return false;
    text->bytes = calloc(1, text->size);
    if (!text->bytes)
        return image_complain(image, "out of memory");
    return read_sections(text, order->exempt, order->exempt_count) &&
           read_symbols(text, data, &header);
}

void text_free(struct text *text)
{
    free(text->bytes);
    free(text->symbols);
}

/* Returns the last symbol at or below `offset`, or NULL. */
static const struct text_symbol *symbol_find(const struct text *text, uint32_t offset)
{
    size_t low = 0, high = text->symbol_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (text->symbols[middle].offset <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? &text->symbols[low - 1] : NULL;
}

struct text_place text_describe(const struct text *text, uint32_t offset)
{
    const struct text_symbol *symbol = symbol_find(text, offset);
    struct text_place place;

    snprintf(place.words, sizeof(place.words), "%s+0x%x (%#" PRIx64 ")",
             symbol ? symbol->name : text->start, offset - (symbol ? symbol->offset : 0),
             text->address + offset);
    return place;
}

/* --- The command line. --- */

bool order_read(struct order *order, const struct option *options, int argc, char **argv)
{
    int option;

    *order = (struct order){.exempt = allocate((size_t)argc, sizeof(*order->exempt))};
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (option == '?')
            return false;
        if (option == 'e')
            order->exempt[order->exempt_count++] = optarg;
        else if (option == 'g')
            order->gaps = optarg;
        else if (option == 't')
            order->text = optarg;
        else
            order->what = option;
    }
    order->path = argv[optind];
    return optind + 1 == argc;
}

enum image_use order_use(const struct order *order)
{
    return order->what == 0 ? IMAGE_WRITE : order->what == 'n' ? IMAGE_MEASURE : IMAGE_READ;
}

void order_free(struct order *order)
{
    free(order->exempt);
}
