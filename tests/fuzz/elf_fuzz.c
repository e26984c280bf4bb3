/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any file as a program: elf_read refuses it with a reason, or returns segments that are inside the
 * file and the program's memory, in order, no two in a page, none both writable and executable, and
 * an entry point in an executable one. The input is the file's first bytes, or makes headers that
 * are mostly valid. Run by tests/host/fuzz.t (docs/proof.md).
 *
 * links: kernel/user/elf.c core/lib/refusal.c core/lib/print.c tests/fuzz/feed.c
 */
#include <linux/elf.h>

#include "arch/memory.h"
#include "kernel/user/elf.h"
#include "tests/fuzz/claim.h"
#include "tests/fuzz/feed.h"

#define HEADERS_MOST 12

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static uint64_t last_of(const struct elf_segment *segment)
{
    return segment->address + segment->size - 1;
}

static void claim_segment(const struct elf_image *image, unsigned i, uint64_t file_size)
{
    const struct elf_segment *segment = &image->segment[i];

    CLAIM(segment->size > 0 && segment->file_size <= segment->size);
    CLAIM(segment->offset <= file_size && segment->file_size <= file_size - segment->offset);
    CLAIM(segment->address >= ARCH_USER_START && last_of(segment) >= segment->address);
    CLAIM(last_of(segment) < ARCH_USER_END);
    CLAIM(segment->address % PAGE_SIZE == segment->offset % PAGE_SIZE);
    CLAIM(segment->access == ARCH_PAGE_READ || segment->access == ARCH_PAGE_WRITE ||
          segment->access == ARCH_PAGE_EXECUTE);
    CLAIM(i == 0 || segment->address / PAGE_SIZE > last_of(segment - 1) / PAGE_SIZE);
}

static void claim_image(const struct elf_image *image, uint64_t file_size)
{
    bool entered = false;
    uint64_t sum = 0;

    CLAIM(image->count > 0 && image->count <= ELF_SEGMENTS);
    for (unsigned i = 0; i < image->count; i++) {
        const struct elf_segment *segment = &image->segment[i];

        claim_segment(image, i, file_size);
        sum += segment->size;
        entered |= segment->access == ARCH_PAGE_EXECUTE && image->entry >= segment->address &&
                   image->entry <= last_of(segment);
    }
    CLAIM(entered && sum <= ELF_MEMORY_MOST);
}

/* Copies the bytes to memory of their exact size. */
static void try_bytes(const void *bytes, size_t size, uint64_t file_size)
{
    struct elf_image image;
    struct refusal why;
    size_t length = size < ELF_HEADER_MOST ? size : ELF_HEADER_MOST;
    void *copy = malloc(length ? length : 1);
    int error;

    memcpy(copy, bytes, length);
    refusal_spoil(&why);
    error = elf_read(copy, length, file_size, &image, &why);
    if (error)
        claim_refused(error, &why);
    else
        claim_image(&image, file_size);
    free(copy);
}

/* Usually `right`. */
static uint64_t or_other(struct feed *feed, uint64_t right)
{
    static const uint64_t edges[] = {
        0,          1,          4095,       4096,           ARCH_USER_START - 1, ARCH_USER_START,
        1ull << 31, 1ull << 32, 1ull << 47, ARCH_USER_END,  ARCH_USER_END - 1,   1ull << 63,
        UINT64_MAX, -4096ull,   16u << 20,  (16u << 20) + 1};
    uint8_t kind = feed_byte(feed);

    if (kind < 230)
        return right;
    if (kind < 245)
        return edges[feed_byte(feed) % (sizeof(edges) / sizeof(edges[0]))];
    return feed_number(feed, 8);
}

/*
 * The length of a segment that begins `rest` bytes before the file's end: within the file, or
 * slightly beyond.
 */
static uint64_t made_length(struct feed *feed, uint64_t rest)
{
    const uint8_t choice = feed_byte(feed);

    if (choice % 8 == 0)
        return rest + choice / 8;
    return rest % (1 + choice * 64);
}

static Elf64_Phdr made_segment(struct feed *feed, unsigned i, uint64_t file_size)
{
    static const uint32_t rights[] = {PF_R, PF_R | PF_X, PF_R | PF_W, PF_R | PF_W | PF_X};
    const uint64_t place = feed_number(feed, 2) % 4096;
    const uint64_t apart = feed_byte(feed) % 8 == 0 ? 0 : 0x10000; /* or all in one page */
    Elf64_Phdr header = {.p_type = (uint32_t)or_other(feed, PT_LOAD)};

    header.p_flags = rights[feed_byte(feed) % 32 == 0 ? 3 : i % 3];
    header.p_offset = or_other(feed, place);
    header.p_vaddr = or_other(feed, 0x400000 + i * apart + place);
    header.p_filesz = or_other(feed, made_length(feed, file_size > place ? file_size - place : 0));
    header.p_memsz = or_other(feed, header.p_filesz + feed_number(feed, feed_byte(feed) % 3));
    return header;
}

static void try_made(struct feed *feed)
{
    struct {
        Elf64_Ehdr header;
        Elf64_Phdr segment[HEADERS_MOST];
    } file = {.header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB}}};
    const unsigned count = feed_byte(feed) % (HEADERS_MOST + 1);
    const uint64_t file_size = feed_number(feed, 2);

    file.header.e_type = (uint16_t)or_other(feed, ET_EXEC);
    file.header.e_machine = (uint16_t)or_other(feed, EM_X86_64);
    file.header.e_phentsize = (uint16_t)or_other(feed, sizeof(Elf64_Phdr));
    file.header.e_phoff = or_other(feed, sizeof(Elf64_Ehdr));
    file.header.e_phnum = (uint16_t)or_other(feed, count);
    for (unsigned i = 0; i < count; i++)
        file.segment[i] = made_segment(feed, i, file_size);
    file.header.e_entry = or_other(feed, file.segment[count > 1].p_vaddr + feed_byte(feed));
    try_bytes(&file, sizeof(file), file_size);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct feed feed = {.bytes = bytes, .left = size};

    if (feed_byte(&feed) < 32)
        try_bytes(feed.bytes, feed.left, size);
    else
        try_made(&feed);
    return 0;
}
