/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The instruction map's reader: which maps it refuses, and which instruction ends before an
 * address. Then the search for the accessing instruction: with one candidate that leads to ip, with
 * two and with none; every form of call; and random code, on which it must not fault or name an
 * instruction that is no candidate.
 *
 * links: tests/unit/fake_arch.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arch/memory.h"
#include "arch/x86_64/debug/accessor.h"
#include "tests/unit/fake_arch.h"

#define TEXT_SIZE 512
#define SLACK     32 /* instructions that random code may start past the end of the text */

static uint8_t text[TEXT_SIZE + SLACK];
static struct {
    struct insn_map_header header;
    uint8_t codes[TEXT_SIZE / INSN_MAP_PER_BYTE];
} table;
static struct insn_map map;
static struct insn_map_expected expected;

/* On its own page, because the search reads the watched bytes' neighbours within the page. */
static _Alignas(4096) uint64_t data[512];
#define WATCHED (&data[100])

#define XLAT "\xd7" /* its access is unknown to operand.c */

static struct regs regs;
static const struct arch_stack *stack;

static void set_code(unsigned offset, enum insn_code code)
{
    uint8_t *byte = &table.codes[offset / INSN_MAP_PER_BYTE];
    unsigned shift = 2 * (offset % INSN_MAP_PER_BYTE);

    *byte = (uint8_t)((*byte & ~(3u << shift)) | (unsigned)code << shift);
}

/* Places an instruction with these bytes. */
static void put(unsigned offset, enum insn_code code, const char *bytes, unsigned length)
{
    for (unsigned i = 0; i < length; i++) {
        text[offset + i] = (uint8_t)bytes[i];
        set_code(offset + i, i ? INSN_INSIDE : code);
    }
}

static uintptr_t at(unsigned offset)
{
    return (uintptr_t)text + offset;
}

static const char *open_map(void)
{
    return insn_map_open(&map, &table, sizeof(table), &expected);
}

/* Text of one-byte instructions without accesses, a trap in the middle, a stack of 16 words. */
static int setup(void **state)
{
    fake_arch_reset(state);
    memset(text, 0x90, sizeof(text));
    memset(table.codes, 0x55, sizeof(table.codes));
    memset(data, 0, sizeof(data));
    table.header = (struct insn_map_header){.magic = INSN_MAP_MAGIC,
                                            .version = INSN_MAP_VERSION,
                                            .size = sizeof(table),
                                            .text = (uintptr_t)text,
                                            .text_size = TEXT_SIZE};
    memcpy(table.header.build_id, arch_build_id(), INSN_MAP_BUILD_ID_SIZE);
    expected = (struct insn_map_expected){arch_build_id(), at(0), at(TEXT_SIZE)};
    assert_null(open_map());
    stack = fake_stack_add("task", 16);
    regs = (struct regs){
        .ip = at(256), .cs = KERNEL_CODE_SELECTOR, .flags = FLAGS_FIXED, .sp = stack->low + 64};
    return 0;
}

static struct arch_accessor find(const void *address, uint8_t length, enum arch_access access)
{
    const struct arch_watch watch = {(uintptr_t)address, length, access};

    return accessor_find(&map, &regs, &watch);
}

static void assert_found(struct arch_accessor is, uintptr_t ip, enum arch_found found)
{
    assert_int_equal(is.found, found);
    assert_int_equal(is.ip, ip);
}

static void assert_unknown(struct arch_accessor is)
{
    assert_found(is, 0, ARCH_FOUND_NOT);
}

/* --- The map. --- */

static void refuses(const char *words)
{
    const char *why = open_map();

    assert_non_null(why);
    assert_non_null(strstr(why, words));
    assert_int_equal(insn_map_code(&map, at(0)), INSN_INSIDE);
    assert_unknown(find(WATCHED, 8, ARCH_WRITE));
    setup(NULL);
}

static void a_map_of_something_else_is_refused(void **state)
{
    (void)state;
    table.header.magic++;
    refuses("run tools/insnmap on it");
    table.header.version++;
    refuses("another version");
    table.header.build_id[19]++;
    refuses("another build's");
    table.header.text++;
    refuses("does not cover");
    table.header.text_size--;
    refuses("does not cover");
    table.header.size--;
    refuses("whose size");
    assert_string_equal(insn_map_open(&map, &table, sizeof(table) - 1, &expected),
                        "an instruction map whose size is not that of its text, or of its section");
    assert_string_equal(insn_map_open(&map, &table, 20, &expected),
                        "no instruction map in the image: run tools/insnmap on it");
}

static void the_instruction_before_is_the_one_that_ends_there(void **state)
{
    (void)state;
    assert_int_equal(insn_map_before(&map, at(0)), 0);
    assert_int_equal(insn_map_before(&map, at(1)), at(0));
    assert_int_equal(insn_map_before(&map, at(TEXT_SIZE)), at(TEXT_SIZE - 1));
    assert_int_equal(insn_map_before(&map, at(TEXT_SIZE) + 1), 0);
    for (unsigned length = 1; length <= INSN_LENGTH_MAX; length++) {
        put(100, INSN_ACCESS, "               ", length);
        assert_int_equal(insn_map_before(&map, at(100 + length)), at(100));
        for (unsigned inside = 1; inside < length; inside++)
            assert_int_equal(insn_map_before(&map, at(100 + inside)), 0);
    }
    set_code(100 + INSN_LENGTH_MAX, INSN_INSIDE); /* longer than any instruction */
    assert_int_equal(insn_map_before(&map, at(100 + INSN_LENGTH_MAX + 1)), 0);
}

static void calls_and_repeated_instructions_are_told_apart(void **state)
{
    (void)state;
    put(10, INSN_CALL_OR_REPEATED, "\xe8\0\0\0\0", 5);
    put(20, INSN_CALL_OR_REPEATED, "\xf3\xa4", 2);
    put(30, INSN_CALL_OR_REPEATED, "\xf2\xae", 2);
    put(50, INSN_CALL_OR_REPEATED, "\x66\xf3\x6d", 3); /* in the encoding of gas for `rep insw` */
    put(60, INSN_CALL_OR_REPEATED, "\x3e\xff\xd0", 3);
    put(40, INSN_ACCESS, "\xf3\xa4", 2);
    assert_true(insn_map_is_call(&map, at(10)) && !insn_map_is_repeated(&map, at(10)));
    assert_true(!insn_map_is_call(&map, at(20)) && insn_map_is_repeated(&map, at(20)));
    assert_true(!insn_map_is_call(&map, at(30)) && insn_map_is_repeated(&map, at(30)));
    assert_true(!insn_map_is_call(&map, at(50)) && insn_map_is_repeated(&map, at(50)));
    assert_true(insn_map_is_call(&map, at(60)) && !insn_map_is_repeated(&map, at(60)));
    assert_true(!insn_map_is_call(&map, at(40)) && !insn_map_is_repeated(&map, at(40)));
    assert_false(insn_map_is_call(&map, at(TEXT_SIZE)));
}

/* --- The instruction before ip, alone. --- */

static void what_ends_at_ip_and_accesses_data_is_found(void **state)
{
    (void)state;
    put(250, INSN_ACCESS, "\x48\x89\x07\0\0\0", 6);
    regs.di = (uintptr_t)WATCHED;
    assert_found(find(WATCHED, 8, ARCH_WRITE), at(250), ARCH_FOUND_BEFORE);
    assert_found(find(WATCHED, 8, ARCH_READ_WRITE), at(250), ARCH_FOUND_BEFORE);
    assert_found(find((void *)at(3), 1, ARCH_EXECUTE), regs.ip, ARCH_FOUND_AT);
    regs.di = (uintptr_t)WATCHED + 8; /* reported, but not accessed */
    assert_unknown(find(WATCHED, 8, ARCH_READ_WRITE));
    put(250, INSN_PLAIN, "\x48\x89\x07\0\0\0", 6);
    assert_unknown(find(WATCHED, 8, ARCH_WRITE));
}

static void without_map_or_trap_frame_nothing_is_found(void **state)
{
    (void)state;
    put(255, INSN_ACCESS, XLAT, 1);
    regs.flags = 0;
    assert_unknown(find(WATCHED, 8, ARCH_WRITE));
    regs.flags = FLAGS_FIXED;
    regs.ip++;
    assert_unknown(find(WATCHED, 8, ARCH_WRITE));
    regs.ip = at(TEXT_SIZE) + 1;
    assert_unknown(find(WATCHED, 8, ARCH_WRITE));
    regs.ip = at(256);
    map = (struct insn_map){.text_size = 0};
    assert_unknown(find(WATCHED, 8, ARCH_WRITE));
}

/* --- Repeated string instructions. --- */

static const struct {
    uint8_t opcode;
    bool reads_si, reads_di, writes_di;
} strings[] = {
    {0xa4, true, false, true},  {0xa5, true, false, true},  {0xa6, true, true, false},
    {0xa7, true, true, false},  {0xaa, false, false, true}, {0xab, false, false, true},
    {0xac, true, false, false}, {0xad, true, false, false}, {0xae, false, true, false},
    {0xaf, false, true, false}, {0x6c, false, false, true}, {0x6d, false, false, true},
    {0x6e, true, false, false}, {0x6f, true, false, false},
};

#define STRINGS (sizeof(strings) / sizeof(strings[0]))

static void put_string(unsigned offset, uint8_t opcode)
{
    const char bytes[3] = {(char)0xf3, 0x48, (char)opcode};

    put(offset, INSN_CALL_OR_REPEATED, bytes, 3);
}

/* By the manual, for a watch of `access`, with only this pointer just past the bytes. */
static void assert_string(unsigned offset, bool found, enum arch_access access)
{
    struct arch_accessor is = find(WATCHED, 8, access);

    if (found)
        assert_found(is, at(offset), ARCH_FOUND_STRING);
    else
        assert_unknown(is);
}

static void a_string_instruction_is_found_by_what_it_has_passed(void **state)
{
    const unsigned places[] = {256, 253}; /* it begins at ip; it ends there */
    const char *second = "\x66\xf3";      /* the repeat prefix, as gas encodes it */
    const uintptr_t passed = (uintptr_t)(WATCHED + 1);

    (void)state;
    for (unsigned i = 0; i < STRINGS * 2; i++) {
        unsigned kind = i / 2, offset = places[i % 2];

        setup(NULL);
        put_string(offset, strings[kind].opcode);
        if (strings[kind].opcode & 1)
            memcpy(text + offset, second, 2);
        regs.di = passed, regs.si = 0;
        assert_string(offset, strings[kind].writes_di, ARCH_WRITE);
        assert_string(offset, strings[kind].writes_di || strings[kind].reads_di, ARCH_READ_WRITE);
        regs.di = 0, regs.si = passed;
        assert_string(offset, false, ARCH_WRITE);
        assert_string(offset, strings[kind].reads_si, ARCH_READ_WRITE);
        regs.si = 0;
        assert_string(offset, false, ARCH_READ_WRITE);
    }
}

static void bytes_behind_the_pointer_were_passed(void **state)
{
    uintptr_t start = (uintptr_t)WATCHED, end = start + 8;

    (void)state;
    put_string(256, 0xaa);
    for (int up = 0; up < 2; up++) {
        regs.flags = FLAGS_FIXED | (up ? 0 : FLAGS_DIRECTION);
        for (regs.di = start - 100; regs.di < end + 100; regs.di++)
            assert_string(256,
                          up ? regs.di > start && regs.di < end + 64
                             : regs.di < end - 1 && regs.di + 64 >= start,
                          ARCH_WRITE);
    }
}

static void a_string_instruction_and_another_are_not_told_apart(void **state)
{
    (void)state;
    put_string(256, 0xaa);
    put(255, INSN_ACCESS, XLAT, 1);
    regs.di = (uintptr_t)WATCHED + 1;
    assert_unknown(find(WATCHED, 8, ARCH_WRITE));
    regs.di = (uintptr_t)WATCHED;
    assert_found(find(WATCHED, 8, ARCH_WRITE), at(255), ARCH_FOUND_BEFORE);
    put_string(253, 0xaa);
    regs.di = (uintptr_t)WATCHED + 1;
    assert_unknown(find(WATCHED, 8, ARCH_WRITE));
}

/* --- Calls. --- */

static uint64_t *slot(void)
{
    return (uint64_t *)regs.sp;
}

/* A call that ends at 200, and its return address on the stack. */
static void put_call(const char *bytes, unsigned length)
{
    put(200 - length, INSN_CALL_OR_REPEATED, bytes, length);
    *slot() = at(200);
}

static void put_direct_call(void)
{
    put_call("\xe8\x38\0\0\0", 5); /* to 56 bytes further on */
}

static void the_push_of_a_call_is_found(void **state)
{
    (void)state;
    put_direct_call();
    assert_found(find(slot(), 8, ARCH_WRITE), at(195), ARCH_FOUND_CALL);
    assert_found(find((char *)slot() + 7, 1, ARCH_READ_WRITE), at(195), ARCH_FOUND_CALL);
    assert_unknown(find(slot() + 1, 8, ARCH_WRITE));
    assert_unknown(find(slot() - 1, 8, ARCH_WRITE));
    assert_unknown(find(WATCHED, 8, ARCH_READ_WRITE));
}

static void a_call_must_lead_to_ip(void **state)
{
    (void)state;
    put_direct_call();
    regs.ip++;
    assert_unknown(find(slot(), 8, ARCH_WRITE));
    put(256, INSN_ACCESS, XLAT, 1);
    assert_found(find(slot(), 8, ARCH_WRITE), at(256), ARCH_FOUND_BEFORE);
}

static void a_call_and_another_are_not_told_apart(void **state)
{
    (void)state;
    put_direct_call();
    put(255, INSN_ACCESS, XLAT, 1);
    assert_unknown(find(slot(), 8, ARCH_WRITE));
    assert_found(find(WATCHED, 8, ARCH_WRITE), at(255), ARCH_FOUND_BEFORE);
}

static void below_the_kernel_only_stacks_have_return_addresses(void **state)
{
    uint64_t elsewhere[2] = {0, 0};

    (void)state;
    put_direct_call();
    elsewhere[0] = *slot();
    regs.sp = (uintptr_t)elsewhere;
    assert_unknown(find(elsewhere, 8, ARCH_WRITE));
    regs.sp = stack->high;
    assert_unknown(find(WATCHED, 8, ARCH_WRITE));
    regs.sp = stack->low - 8; /* in the guard page */
    assert_unknown(find(WATCHED, 8, ARCH_WRITE));
    regs.sp = stack->low + 4;
    assert_unknown(find(WATCHED, 8, ARCH_WRITE));
    regs.sp = stack->high - 8;
    *slot() = at(200);
    assert_found(find(slot(), 8, ARCH_WRITE), at(195), ARCH_FOUND_CALL);
}

static void what_is_no_return_address_has_no_call(void **state)
{
    (void)state;
    put_direct_call();
    for (*slot() = at(0); *slot() < at(TEXT_SIZE + 20); ++*slot())
        if (*slot() != at(200))
            assert_unknown(find(slot(), 8, ARCH_WRITE));
    *slot() = 0;
    assert_unknown(find(slot(), 8, ARCH_WRITE));
    *slot() = UINT64_MAX;
    assert_unknown(find(slot(), 8, ARCH_WRITE));
}

/* The place of a register, by its number in instructions. */
static uint64_t *register_by_number(unsigned number)
{
    uint64_t *const all[16] = {&regs.ax,  &regs.cx,  &regs.dx,  &regs.bx, &regs.sp,  &regs.bp,
                               &regs.si,  &regs.di,  &regs.r8,  &regs.r9, &regs.r10, &regs.r11,
                               &regs.r12, &regs.r13, &regs.r14, &regs.r15};

    return all[number];
}

static void a_call_by_register_leads_where_the_register_says(void **state)
{
    (void)state;
    for (unsigned number = 0; number < 16; number++) {
        const char bytes[3] = {(char)(number < 8 ? 0x40 : 0x41), (char)0xff,
                               (char)(0xd0 | (number & 7))};

        if (number == 4)
            continue; /* the stack contains no code */
        setup(NULL);
        put_call(bytes, 3);
        assert_unknown(find(slot(), 8, ARCH_WRITE));
        *register_by_number(number) = regs.ip;
        assert_found(find(slot(), 8, ARCH_WRITE), at(197), ARCH_FOUND_CALL);
    }
}

/* Base, index, scale and displacement of a call through memory, as in ModRM and SIB. */
struct operand {
    int base, index; /* -1: none */
    unsigned shift;
    int32_t displacement;
    unsigned mode;
};

static unsigned spell_call(const struct operand *operand, char *bytes)
{
    unsigned length = 0, base = operand->base < 0 ? 5 : (unsigned)operand->base;
    unsigned index = operand->index < 0 ? 4 : (unsigned)operand->index;
    bool sib = operand->base < 0 || operand->index >= 0 || (base & 7) == 4;

    bytes[length++] = (char)(0x40 | (index > 7) << 1 | (base > 7));
    bytes[length++] = (char)0xff;
    bytes[length++] = (char)(operand->mode << 6 | 2 << 3 | (sib ? 4 : base & 7));
    if (sib)
        bytes[length++] = (char)(operand->shift << 6 | (index & 7) << 3 | (base & 7));
    if (operand->mode == 1)
        bytes[length++] = (char)operand->displacement;
    else if (operand->mode == 2 || operand->base < 0)
        for (unsigned i = 0; i < 4; i++)
            bytes[length++] = (char)((uint32_t)operand->displacement >> 8 * i);
    return length;
}

static void assert_call_by_memory(const struct operand *operand)
{
    uintptr_t rest = (uintptr_t)WATCHED - (uintptr_t)(intptr_t)operand->displacement;
    char bytes[16];
    unsigned length = spell_call(operand, bytes);

    setup(NULL);
    if (operand->index >= 0) {
        *register_by_number((unsigned)operand->index) = 5;
        rest -= 5ull << operand->shift;
    }
    if (operand->base >= 0)
        *register_by_number((unsigned)operand->base) = rest;
    put_call(bytes, length);
    assert_unknown(find(slot(), 8, ARCH_WRITE));
    *WATCHED = regs.ip;
    assert_found(find(slot(), 8, ARCH_WRITE), at(200 - length), ARCH_FOUND_CALL);
    assert_found(find(WATCHED, 4, ARCH_READ_WRITE), at(200 - length), ARCH_FOUND_CALL);
    assert_unknown(find(WATCHED, 4, ARCH_WRITE));
    put(255, INSN_ACCESS, XLAT, 1);
    assert_unknown(find(WATCHED, 4, ARCH_READ_WRITE));
    fake_arch.unmapped = (struct fake_range){(uintptr_t)data, (uintptr_t)data + sizeof(data), ""};
    assert_found(find(slot(), 8, ARCH_WRITE), at(255), ARCH_FOUND_BEFORE);
    fake_arch.devices = fake_arch.unmapped;
    fake_arch.unmapped = (struct fake_range){0, 0, ""};
    assert_found(find(slot(), 8, ARCH_WRITE), at(255), ARCH_FOUND_BEFORE);
}

static void a_call_by_memory_leads_where_its_operand_says(void **state)
{
    static const int32_t displacements[] = {0, -16, 0x40};

    (void)state;
    for (int base = 0; base < 16; base++)
        for (int index = -1; index < 16; index++)
            for (unsigned form = 0; form < 12; form++) {
                struct operand operand = {base, index, form / 3, displacements[form % 3], 2};

                if (index == 4 || base == index || base == 4)
                    continue;
                assert_call_by_memory(&operand);
                operand.mode = 1;
                assert_call_by_memory(&operand);
                operand.mode = 0;
                operand.displacement = 0;
                if ((base & 7) != 5)
                    assert_call_by_memory(&operand);
            }
}

/* `call [rsp + 16]`: uses rsp before the push. */
static void a_call_by_the_stack_counts_from_before_the_push(void **state)
{
    (void)state;
    put_call("\xff\x54\x24\x10", 4);
    assert_unknown(find(slot(), 8, ARCH_WRITE));
    slot()[3] = regs.ip;
    assert_found(find(slot(), 8, ARCH_WRITE), at(196), ARCH_FOUND_CALL);
    assert_found(find(slot() + 3, 8, ARCH_READ_WRITE), at(196), ARCH_FOUND_CALL);
}

/* `call [rip + n]`, and `notrack call [rax * 8 + n]`, with n truncated to its field. */
static void a_call_by_an_address_in_the_instruction_is_found(void **state)
{
    int32_t distance = (int32_t)((uintptr_t)text + 300 - at(200));
    char bytes[6] = {(char)0xff, 0x15};

    (void)state;
    memcpy(bytes + 2, &distance, sizeof(distance));
    put_call(bytes, 6);
    memcpy(text + 300, &regs.ip, sizeof(regs.ip));
    assert_found(find(slot(), 8, ARCH_WRITE), at(194), ARCH_FOUND_CALL);
    put_call("\x3e\xff\x14\xc5\x08\0\0\0", 8);
    *WATCHED = regs.ip;
    regs.ax = ((uintptr_t)WATCHED - 8) / 8;
    assert_found(find(slot(), 8, ARCH_WRITE), at(192), ARCH_FOUND_CALL);
}

/* Registers may have changed since the access, and may no longer point to memory. */
static void what_is_not_concerned_is_not_read(void **state)
{
    (void)state;
    put_call("\xff\x10", 2); /* [rax] */
    put(255, INSN_ACCESS, XLAT, 1);
    regs.ax = 8;
    assert_found(find(WATCHED, 8, ARCH_READ_WRITE), at(255), ARCH_FOUND_BEFORE);
}

/* --- A jump or return to ip. --- */

/* A jump or return that reads the watch has loaded ip, which may be at any byte there. */
static void a_word_that_is_ip_makes_the_answer_unknown(void **state)
{
    (void)state;
    put(255, INSN_ACCESS, XLAT, 1);
    for (int shift = -12; shift <= 16; shift++) {
        bool touches = shift > -8 && shift < 4;

        memset(data, 0, sizeof(data));
        memcpy((char *)WATCHED + shift, &regs.ip, sizeof(regs.ip));
        assert_int_equal(find(WATCHED, 4, ARCH_READ_WRITE).found,
                         touches ? ARCH_FOUND_NOT : ARCH_FOUND_BEFORE);
        assert_found(find(WATCHED, 4, ARCH_WRITE), at(255), ARCH_FOUND_BEFORE);
    }
}

/* Neighbouring pages may not be mapped: asan poisons the guards of the host's stacks. */
static void no_page_but_the_watched_one_is_read(void **state)
{
    uint64_t *page = aligned_alloc(4096, 4096);

    (void)state;
    assert_non_null(page);
    memset(page, 0, 4096);
    put(255, INSN_ACCESS, XLAT, 1);
    for (uint8_t length = 1; length <= 8; length *= 2) {
        assert_found(find(page, length, ARCH_READ_WRITE), at(255), ARCH_FOUND_BEFORE);
        assert_found(find((char *)page + 4096 - length, length, ARCH_READ_WRITE), at(255),
                     ARCH_FOUND_BEFORE);
    }
    page[511] = regs.ip;
    assert_unknown(find((char *)page + 4095, 1, ARCH_READ_WRITE));
    free(page);
}

/* A value in a device register does not show that a jump read it: no jump goes through a device. */
static void registers_of_devices_are_not_read(void **state)
{
    (void)state;
    put(255, INSN_ACCESS, XLAT, 1);
    *WATCHED = regs.ip;
    assert_unknown(find(WATCHED, 4, ARCH_READ_WRITE));
    fake_arch.devices = (struct fake_range){(uintptr_t)data, (uintptr_t)data + sizeof(data), ""};
    assert_found(find(WATCHED, 4, ARCH_READ_WRITE), at(255), ARCH_FOUND_BEFORE);
}

static void a_frame_that_iretq_left_makes_the_answer_unknown(void **state)
{
    uint64_t *frame = fake_stack_words(stack) + 4; /* its neighbours are also read */

    (void)state;
    put(255, INSN_ACCESS, XLAT, 1);
    frame[0] = regs.ip, frame[1] = regs.cs, frame[2] = regs.flags;
    frame[3] = regs.sp, frame[4] = KERNEL_DATA_SELECTOR;
    for (int word = -1; word <= 5; word++) {
        assert_int_equal(find(frame + word, 8, ARCH_READ_WRITE).found,
                         word >= 0 && word <= 4 ? ARCH_FOUND_NOT : ARCH_FOUND_BEFORE);
        assert_found(find(frame + word, 8, ARCH_WRITE), at(255), ARCH_FOUND_BEFORE);
    }
    frame[3]++; /* no longer this stack */
    assert_found(find(frame + 4, 8, ARCH_READ_WRITE), at(255), ARCH_FOUND_BEFORE);
    assert_found(find(frame + 2, 8, ARCH_READ_WRITE), at(255), ARCH_FOUND_BEFORE);
    assert_unknown(find(frame + 1, 8, ARCH_READ_WRITE)); /* retfq reads no more than two words */
    frame[1]++;
    assert_found(find(frame + 1, 8, ARCH_READ_WRITE), at(255), ARCH_FOUND_BEFORE);
}

/* --- Possible accesses. --- */

static struct arch_candidate candidates[ARCH_CANDIDATES_MAX];

static unsigned find_candidates(const void *address, uint8_t length, enum arch_access access)
{
    const struct arch_watch watch = {(uintptr_t)address, length, access};

    return accessor_candidates(&map, &regs, &watch, candidates);
}

static void assert_read(unsigned i, const void *address, size_t size)
{
    assert_int_equal(candidates[i].count, 1);
    assert_true(candidates[i].made[0].placed && candidates[i].made[0].reads &&
                !candidates[i].made[0].writes);
    assert_int_equal(candidates[i].made[0].address, address);
    assert_int_equal(candidates[i].made[0].size, size);
}

static void a_return_has_read_its_address(void **state)
{
    (void)state;
    *WATCHED = regs.ip;
    assert_int_equal(find_candidates(WATCHED, 4, ARCH_READ_WRITE), 1);
    assert_read(0, WATCHED, 8);
    assert_int_equal(find_candidates(WATCHED, 4, ARCH_WRITE), 0);
    set_code(255, INSN_INSIDE); /* the map has no instruction that ends there */
    for (unsigned i = 1; i < INSN_LENGTH_MAX; i++)
        set_code(255 - i, INSN_INSIDE);
    assert_int_equal(find_candidates(WATCHED, 4, ARCH_READ_WRITE), 0);
    for (unsigned i = 0; i < INSN_LENGTH_MAX; i++)
        set_code(255 - i, INSN_PLAIN);
    put(250, INSN_ACCESS, "\x48\x8b\x07\0\0\0", 6); /* mov rax, [rdi] */
    regs.di = (uintptr_t)WATCHED;
    assert_int_equal(find_candidates(WATCHED, 4, ARCH_READ_WRITE), 2);
    regs.di = (uintptr_t)WATCHED + 8; /* it points elsewhere, so this was not the access */
    assert_int_equal(find_candidates(WATCHED, 4, ARCH_READ_WRITE), 1);
    assert_read(0, WATCHED, 8);
    put(255, INSN_ACCESS, XLAT, 1);
    assert_int_equal(find_candidates(WATCHED, 4, ARCH_READ_WRITE), 0);
}

/* `mov (%rdi), %rdi`: the address was where memory holds what rdi has now. */
static void a_load_over_its_address_was_where_memory_has_the_value(void **state)
{
    (void)state;
    put(250, INSN_ACCESS, "\x48\x8b\x3f\0\0\0", 6);
    fake_arch.cpus = 1;
    regs.di = 0x123456789;
    memcpy((char *)WATCHED + 3, &regs.di, 8);
    assert_int_equal(find_candidates(WATCHED, 4, ARCH_READ_WRITE), 1);
    assert_read(0, (char *)WATCHED + 3, 8);
    assert_int_equal(find_candidates(WATCHED, 2, ARCH_READ_WRITE), 1);
    assert_false(candidates[0].made[0].placed); /* no such place touches the watch */
    regs.di = 0;
    memset(data, 0, sizeof(data));
    assert_int_equal(find_candidates(WATCHED, 4, ARCH_READ_WRITE), 1);
    assert_false(candidates[0].made[0].placed); /* may be anywhere */
    memset(data, 1, sizeof(data));
    *WATCHED = regs.di = 0x123456789;
    fake_arch.cpus = 2; /* the other CPU may have written since */
    assert_int_equal(find_candidates(WATCHED, 4, ARCH_READ_WRITE), 1);
    assert_false(candidates[0].made[0].placed);
    fake_arch.cpus = 1;
    fake_arch.devices = (struct fake_range){(uintptr_t)data, (uintptr_t)data + sizeof(data), ""};
    assert_int_equal(find_candidates(WATCHED, 4, ARCH_READ_WRITE), 1);
    assert_false(candidates[0].made[0].placed);
}

/* `rep stosq`, which QEMU 7.2 also reports to a watch below it in its page. */
static void what_is_reported_beside_was_not_touched(void **state)
{
    (void)state;
    put_string(253, 0xab);
    regs.di = (uintptr_t)(WATCHED + 40) + 4;
    assert_unknown(find(WATCHED, 2, ARCH_WRITE));
    assert_int_equal(find_candidates(WATCHED, 2, ARCH_WRITE), 0);
    fake_arch.beside = true;
    assert_unknown(find(WATCHED, 2, ARCH_WRITE));
    assert_int_equal(find_candidates(WATCHED, 2, ARCH_WRITE), 1);
    assert_true(candidates[0].made[0].placed);
    assert_int_equal(candidates[0].made[0].address, regs.di - 8);
    assert_int_equal(find_candidates(WATCHED + 40, 2, ARCH_WRITE), 1);
    assert_found(find(WATCHED + 39, 8, ARCH_WRITE), at(253), ARCH_FOUND_STRING);
    regs.di -= 4; /* aligned, so it cannot have been reported wrongly */
    assert_int_equal(find_candidates(WATCHED, 2, ARCH_WRITE), 0);
}

/* --- Random code. --- */

static void assert_is_candidate(struct arch_accessor is)
{
    if (is.found == ARCH_FOUND_BEFORE)
        assert_true(is.ip < regs.ip && regs.ip - is.ip <= INSN_LENGTH_MAX &&
                    insn_map_code(&map, is.ip) == INSN_ACCESS);
    else if (is.found == ARCH_FOUND_STRING)
        assert_true(insn_map_is_repeated(&map, is.ip));
    else if (is.found == ARCH_FOUND_CALL)
        assert_true(insn_map_is_call(&map, is.ip));
    else
        assert_unknown(is);
}

static void noise_neither_faults_nor_is_blamed(void **state)
{
    unsigned found[5] = {0};

    (void)state;
    srand(4);
    text[272] = 0; /* so that a call through memory can only be by [rax] or [r8] */
    for (unsigned round = 0; round < 300000; round++) {
        uint64_t *words = fake_stack_words(stack);
        unsigned length = 1u << rand() % 4, place = (unsigned)rand() % 4096 / length * length;
        struct arch_accessor is;

        for (unsigned i = 0; i < 32; i++)
            text[240 + i] = (uint8_t) "\xe8\xff\x10\xd0\xf3\xa4\xaa\x41"[rand() % 8];
        for (unsigned i = 60; i < 68; i++)
            table.codes[i] = (uint8_t)rand();
        regs.ip = at(240 + (unsigned)rand() % 32);
        regs.sp = stack->low + (uintptr_t)rand() % 20 * 8;
        regs.di = (uintptr_t)data + place + (uintptr_t)rand() % 16;
        regs.ax = rand() % 2 ? regs.ip : (uintptr_t)data + (uintptr_t)rand() % 4080;
        regs.r8 = (uintptr_t)data + (uintptr_t)rand() % 4080;
        words[rand() % 16] = at(240 + (unsigned)rand() % 32);
        data[rand() % 512] = regs.ip;
        is = rand() % 2 ? find((char *)data + place, (uint8_t)length, ARCH_READ_WRITE)
                        : find((void *)(regs.sp - 8 + place % 16), (uint8_t)length, ARCH_WRITE);
        assert_is_candidate(is);
        found[is.found]++;
    }
    assert_true(found[ARCH_FOUND_NOT] > 1000 && found[ARCH_FOUND_BEFORE] > 1000);
    assert_true(found[ARCH_FOUND_STRING] > 100 && found[ARCH_FOUND_CALL] > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_map_of_something_else_is_refused, setup),
        cmocka_unit_test_setup(the_instruction_before_is_the_one_that_ends_there, setup),
        cmocka_unit_test_setup(calls_and_repeated_instructions_are_told_apart, setup),
        cmocka_unit_test_setup(what_ends_at_ip_and_accesses_data_is_found, setup),
        cmocka_unit_test_setup(without_map_or_trap_frame_nothing_is_found, setup),
        cmocka_unit_test_setup(a_string_instruction_is_found_by_what_it_has_passed, setup),
        cmocka_unit_test_setup(bytes_behind_the_pointer_were_passed, setup),
        cmocka_unit_test_setup(a_string_instruction_and_another_are_not_told_apart, setup),
        cmocka_unit_test_setup(the_push_of_a_call_is_found, setup),
        cmocka_unit_test_setup(a_call_must_lead_to_ip, setup),
        cmocka_unit_test_setup(a_call_and_another_are_not_told_apart, setup),
        cmocka_unit_test_setup(below_the_kernel_only_stacks_have_return_addresses, setup),
        cmocka_unit_test_setup(what_is_no_return_address_has_no_call, setup),
        cmocka_unit_test_setup(a_call_by_register_leads_where_the_register_says, setup),
        cmocka_unit_test_setup(a_call_by_memory_leads_where_its_operand_says, setup),
        cmocka_unit_test_setup(a_call_by_the_stack_counts_from_before_the_push, setup),
        cmocka_unit_test_setup(a_call_by_an_address_in_the_instruction_is_found, setup),
        cmocka_unit_test_setup(what_is_not_concerned_is_not_read, setup),
        cmocka_unit_test_setup(a_word_that_is_ip_makes_the_answer_unknown, setup),
        cmocka_unit_test_setup(no_page_but_the_watched_one_is_read, setup),
        cmocka_unit_test_setup(registers_of_devices_are_not_read, setup),
        cmocka_unit_test_setup(a_frame_that_iretq_left_makes_the_answer_unknown, setup),
        cmocka_unit_test_setup(a_return_has_read_its_address, setup),
        cmocka_unit_test_setup(a_load_over_its_address_was_where_memory_has_the_value, setup),
        cmocka_unit_test_setup(what_is_reported_beside_was_not_touched, setup),
        cmocka_unit_test_setup(noise_neither_faults_nor_is_blamed, setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
