/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares translated code with the kernel's file (outside/plugin/code.h). Each case runs in its
 * own process, like a plugin, on a file of random bytes, and prints what the plugin reported.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "outside/plugin/code.h"
#include "outside/plugin/tell.h"

#define SIZE        0x8000
#define HIGH        0xffffffff80100000
#define LOW         0x100000
#define PAGE        0x1000
#define INSTRUCTION 8
#define LONG        6 /* instructions of a block that is long enough to be identified */

/* The results of one case, written by its process. */
static struct told {
    unsigned slides;
    uint64_t slide, code_slid;
    uint64_t different, blocks, places, late, unknown;
    bool kernel[128]; /* of each checked block */
    uint64_t lies[128];
    unsigned checked;
} * told;

static uint8_t file[SIZE];
static uintptr_t host; /* where QEMU has the next block in memory; 0: unknown */

void tell_strange(uint64_t different, uint64_t blocks)
{
    told->different = different;
    told->blocks = blocks;
}

void tell_number(enum wire_kind kind, unsigned cpu, uint64_t number)
{
    (void)cpu;
    if (kind == WIRE_SLIDE) {
        told->slides++;
        told->slide = number;
    } else if (kind == WIRE_LATE) {
        told->late = number;
    } else {
        assert_int_equal(kind, WIRE_PATCHED);
        told->places = number;
    }
}

void tell_unknown(uint64_t address)
{
    told->unknown = address;
}

void code_slid(uint64_t by)
{
    told->code_slid += by;
}

/* The block at that offset of the file, or of `other`, runs at `start`. */
static void check_bytes(const uint8_t *bytes, uint64_t start, size_t instructions)
{
    struct code_block block = {.start = start, .host = host};

    for (; block.count < instructions; block.count++)
        block.sizes[block.count] = INSTRUCTION;
    block.size = instructions * INSTRUCTION;
    memcpy(block.bytes, bytes, block.size);
    told->kernel[told->checked] = code_check(&block, &told->lies[told->checked]);
    told->checked++;
}

static void check(size_t offset, uint64_t start, size_t instructions)
{
    check_bytes(file + offset, start, instructions);
}

/* The same, with QEMU's memory. */
static void check_in(const uint8_t *memory, size_t offset, uint64_t start, size_t instructions)
{
    host = (uintptr_t)memory + offset;
    check_bytes(memory + offset, start, instructions);
    host = 0;
}

static void run(uint64_t address, void (*what)(uint64_t address))
{
    static struct request request;
    pid_t child;
    int status;

    memset(told, 0, sizeof(*told));
    child = fork();
    if (child == 0) {
        int memory = memfd_create("file", 0);

        if (memory < 0 || write(memory, file, SIZE) != SIZE)
            _exit(1);
        request = (struct request){.text_first = address,
                                   .text_last = address + SIZE - 1,
                                   .code_file = memory,
                                   .code_count = 1,
                                   .code = {{.address = address, .size = SIZE}}};
        if (!code_begin(&request))
            _exit(1);
        what(address);
        code_end();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* --- At the file's addresses --- */

static void run_in_place(uint64_t address)
{
    check_bytes(file + 0x40, address, LONG); /* a boot loader */
    for (unsigned i = 0; i < 100; i++)
        check(i * 0x40, address + i * 0x40, LONG);
}

static void a_kernel_begins_with_the_first_block_of_the_file(void **state)
{
    (void)state;
    run(LOW, run_in_place);
    assert_false(told->kernel[0]);
    for (unsigned i = 1; i <= 100; i++)
        assert_true(told->kernel[i] && told->lies[i] == 0);
    assert_int_equal(told->slides + told->blocks + told->places, 0);
}

/* A block with a single return, for example; then a boot loader at the kernel's later addresses. */
static void run_alike(uint64_t address)
{
    struct code_block block = {
        .start = address + 0x40, .size = 1, .count = 1, .sizes = {1}, .bytes = {file[0x40]}};
    uint8_t loader[LONG * INSTRUCTION];

    memset(loader, 0x90, sizeof(loader));
    told->kernel[told->checked++] = code_check(&block, &told->lies[0]);
    for (unsigned i = 0; i < 100; i++)
        check_bytes(loader, address + i * 0x40, LONG);
    check(0x4000, address + 0x4000, LONG);
}

static void a_block_of_a_few_bytes_is_no_beginning(void **state)
{
    (void)state;
    run(LOW, run_alike);
    assert_int_equal(told->blocks, 0);
    assert_false(told->kernel[0]);
    assert_true(told->kernel[101]);
    run(HIGH, run_alike); /* no boot loader runs there, so it is another build */
    assert_true(told->kernel[0]);
    assert_true(told->blocks > 0);
}

/* --- Moved --- */

static const uint64_t slide = 0x345000;

static void run_moved(uint64_t address)
{
    for (unsigned i = 0; i < 16; i++)
        check(0x100 + i * 0x40, address + slide + 0x100 + i * 0x40, LONG);
}

static void several_blocks_tell_a_slide(void **state)
{
    (void)state;
    run(LOW, run_moved);
    assert_int_equal(told->slides, 1);
    assert_int_equal(told->slide, slide);
    assert_int_equal(told->code_slid, slide);
    for (unsigned i = 0; i < 16; i++)
        assert_true(told->kernel[i] == (i >= 3) && told->lies[i] == slide);
    assert_int_equal(told->late, 3);
    run(HIGH, run_moved); /* no boot loader runs there */
    assert_int_equal(told->slide, slide);
    assert_true(told->kernel[0]);
}

static void run_moved_below(uint64_t address)
{
    for (unsigned i = 0; i < 16; i++)
        check(i * 0x40, LOW + i * 0x40, LONG);
    check(0x400, address + 0x400, LONG);
}

static void code_of_the_high_half_that_runs_below_is_no_slide(void **state)
{
    (void)state;
    run(HIGH, run_moved_below);
    assert_int_equal(told->slides, 0);
    assert_false(told->kernel[15]);
    assert_true(told->kernel[16]);
}

static void run_the_same_block(uint64_t address)
{
    for (unsigned i = 0; i < 50; i++)
        check(0x80, address + slide + 0x80, LONG);
    for (unsigned i = 0; i < 50; i++)
        check(0x80 + i * INSTRUCTION, address + slide + 0x80 + i * INSTRUCTION, 1);
}

static void one_function_in_common_or_short_blocks_tell_no_slide(void **state)
{
    (void)state;
    run(LOW, run_the_same_block);
    assert_int_equal(told->slides, 0);
}

static void run_with_its_loader(uint64_t address)
{
    for (unsigned i = 0; i < 3; i++)
        check(i * 0x40, address + i * 0x40, LONG);
    run_moved(address);
}

static void a_kernel_may_move_itself_after_its_first_blocks(void **state)
{
    (void)state;
    run(LOW, run_with_its_loader);
    assert_int_equal(told->slide, slide);
}

static void run_relocated(uint64_t address)
{
    for (unsigned i = 0; i < 40; i++) {
        uint8_t bytes[LONG * INSTRUCTION];
        uint32_t field;
        uint64_t pointer;

        memcpy(bytes, file + i * 0x40, sizeof(bytes));
        memcpy(&field, bytes + INSTRUCTION + 3, sizeof(field));
        field += (uint32_t)slide;
        memcpy(bytes + INSTRUCTION + 3, &field, sizeof(field));
        memcpy(&field, bytes + 3 * INSTRUCTION + 2, sizeof(field));
        field -= (uint32_t)slide;
        memcpy(bytes + 3 * INSTRUCTION + 2, &field, sizeof(field));
        memcpy(&pointer, bytes + 5 * INSTRUCTION, sizeof(pointer));
        pointer += slide;
        memcpy(bytes + 5 * INSTRUCTION, &pointer, sizeof(pointer));
        check_bytes(bytes, address + slide + i * 0x40, LONG);
    }
}

static void relocated_fields_are_the_same(void **state)
{
    (void)state;
    run(HIGH, run_relocated);
    assert_int_equal(told->slide, slide);
    assert_int_equal(told->blocks + told->places, 0);
    assert_true(told->kernel[39]);
}

/* --- Moved, compared with QEMU's memory --- */

static uint8_t *copy_file(void)
{
    uint8_t *copy =
        mmap(NULL, 3 * SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (copy == MAP_FAILED)
        _exit(1);
    memcpy(copy + SIZE, file, SIZE);
    return copy + SIZE;
}

static void run_short_in_memory(uint64_t address)
{
    check_in(copy_file(), 0x100, address + slide + 0x100, 1);
}

static void run_relocated_in_memory(uint64_t address)
{
    uint8_t *copy = copy_file();

    for (size_t at = 0x40; at + sizeof(uint32_t) <= SIZE; at += 0x10) {
        uint32_t field;

        memcpy(&field, copy + at, sizeof(field));
        field += (uint32_t)slide;
        memcpy(copy + at, &field, sizeof(field));
    }
    check_in(copy, 0x100, address + slide + 0x100, 1);
}

static void run_on_its_edge(uint64_t address)
{
    uint8_t *copy = copy_file();

    munmap(copy - SIZE, SIZE);
    munmap(copy + SIZE, SIZE);
    check_in(copy, 0, address + slide, 1);
}

static void its_memory_tells_a_slide_before_the_first_block(void **state)
{
    void (*const whats[])(uint64_t) = {run_short_in_memory, run_relocated_in_memory,
                                       run_on_its_edge};

    (void)state;
    for (size_t i = 0; i < sizeof(whats) / sizeof(*whats); i++) {
        run(LOW, whats[i]);
        assert_int_equal(told->slides, 1);
        assert_int_equal(told->slide, slide);
        assert_int_equal(told->late, 0);
        assert_true(told->kernel[0] && told->lies[0] == slide);
    }
}

static void run_high_after_low(uint64_t address)
{
    const uint8_t *copy = copy_file();

    for (unsigned i = 0; i < 100; i++)
        check_in(copy, i * 0x40, address + i * 0x40, LONG);
    check_in(copy, 0x4000, address + 0xffffffff80000000 + 0x4000, LONG);
}

static void a_kernel_may_jump_high_after_many_blocks(void **state)
{
    (void)state;
    run(LOW, run_high_after_low);
    assert_int_equal(told->slide, 0xffffffff80000000);
    for (unsigned i = 0; i <= 100; i++)
        assert_true(told->kernel[i] && told->lies[i] == (i < 100 ? 0 : 0xffffffff80000000));
}

static void run_loaded_elsewhere(uint64_t address)
{
    const uint8_t *copy = copy_file();

    for (unsigned i = 0; i < 50; i++)
        check_in(copy, i * 0x40, address + slide + i * 0x40, LONG);
    for (unsigned i = 0; i < 20; i++) {
        check_in(copy, 0x4000 + i * 0x40, address + slide + 0xffffffff80004000 + i * 0x40, LONG);
        check_in(copy, i * 0x40, address + slide + i * 0x40, LONG); /* other CPUs start */
    }
}

static void a_kernel_that_was_loaded_elsewhere_may_jump_high(void **state)
{
    (void)state;
    run(LOW, run_loaded_elsewhere);
    assert_int_equal(told->slides, 2);
    assert_int_equal(told->slide, slide + 0xffffffff80000000);
    assert_int_equal(told->code_slid, told->slide);
}

static void run_a_copied_page(uint64_t address)
{
    const uint8_t *copy = copy_file();
    uint8_t *others = copy_file();

    check_in(copy, 0, address, LONG);
    memset(others, 0, SIZE);
    memcpy(others + 0x1000, file + 0x1000, 0x1000);
    for (unsigned i = 0; i < 20; i++)
        check_in(others, 0x1000 + i * 0x40, 0x8000 + i * 0x40, LONG);
    check_in(copy, 0x4000, address + 0x4000, LONG);
}

static void a_copied_page_is_no_slide(void **state)
{
    (void)state;
    run(LOW, run_a_copied_page);
    assert_int_equal(told->slides, 0);
    assert_true(told->kernel[21] && told->lies[21] == 0);
}

static void run_without_memory(uint64_t address)
{
    for (unsigned i = 0; i < 16; i++) {
        host = 0x1000; /* not mapped */
        check(0x100 + i * 0x40, address + slide + 0x100 + i * 0x40, LONG);
    }
}

static void without_memory_several_blocks_tell_a_slide(void **state)
{
    (void)state;
    run(LOW, run_without_memory);
    assert_int_equal(told->slide, slide);
    assert_int_equal(told->late, 3);
}

/* The kernel's pages are in reverse order in memory. */
static void run_scattered(uint64_t address)
{
    uint8_t *copy = copy_file();

    for (size_t at = 0; at < SIZE; at += PAGE)
        memcpy(copy + SIZE - PAGE - at, file + at, PAGE);
    for (size_t i = 0; i < 16; i++) {
        size_t at = i % 2 * PAGE + 0x100 + i * 0x40;

        host = (uintptr_t)copy + SIZE - PAGE - at / PAGE * PAGE + at % PAGE;
        check(at, address + slide + at, LONG);
    }
}

/* Some functions of another kernel are also in the file. */
static void run_in_common(uint64_t address)
{
    uint8_t *other = copy_file();

    memset(other + 0x1500, 0x31, SIZE - 0x1500);
    for (unsigned i = 0; i < 16; i++)
        check_in(other, 0x1100 + i * 0x40, address + slide + 0x1100 + i * 0x40, LONG);
}

static void the_page_of_a_block_must_be_the_files(void **state)
{
    (void)state;
    run(HIGH, run_scattered);
    assert_int_equal(told->slide, slide);
    assert_int_equal(told->late, 3);
    run(HIGH, run_in_common);
    assert_int_equal(told->slides, 0);
    assert_false(told->kernel[15]);
}

/* How many other blocks ran at the file's addresses. */
static unsigned others;

static void run_in_common_pages(uint64_t address)
{
    for (unsigned i = 0; i < others; i++)
        check(i * 0x40 + 0x28, address + slide + i * 0x40, LONG);
    for (unsigned i = 0; i < 8; i++)
        check(0x6000 + i * 0x40, address + slide + 0x6000 + i * 0x40, LONG);
}

static void a_slide_by_which_more_differs_than_agrees_is_none(void **state)
{
    (void)state;
    others = 9;
    run(HIGH, run_in_common_pages);
    assert_int_equal(told->slides, 0);
    assert_int_equal(told->different, 9);
    assert_int_equal(told->blocks, 9 + 8);
    others = 3;
    run(HIGH, run_in_common_pages);
    assert_int_equal(told->slide, slide);
    assert_int_equal(told->late, 3);
    others = 9; /* a boot loader */
    run(LOW, run_in_common_pages);
    assert_int_equal(told->slide, slide);
}

/* --- Other code --- */

static void run_unknown(uint64_t address)
{
    (void)address;
    for (unsigned i = 0; i < 63; i++)
        check(i * 0x40 + 0x28, 0xffffffffc0000000 + i * 0x40, LONG);
    assert_int_equal(told->unknown, 0);
    check(0x28, 0xffffffffc0001000, LONG);
    assert_int_equal(told->unknown, 0xffffffffc0000000);
}

static void run_few_unknown(uint64_t address)
{
    check(0, address, LONG);
    check(0x28, 0xffffffffc0001000, LONG);
}

static void code_of_the_upper_half_that_is_not_in_the_file_is_told(void **state)
{
    (void)state;
    run(HIGH, run_unknown);
    run(LOW, run_few_unknown); /* at the end */
    assert_int_equal(told->unknown, 0xffffffffc0001000);
    run(HIGH, run_few_unknown); /* a module */
    assert_int_equal(told->unknown, 0);
}

/* The next boot has a different slide, by this much. */
static uint64_t more;

static void run_moved_again(uint64_t address)
{
    run_moved(address);
    code_reset();
    for (unsigned i = 0; i < 64; i++)
        check(0x100 + i * 0x40, address + slide + more + 0x100 + i * 0x40, LONG);
}

static void a_slide_that_changes_at_a_reset_is_told(void **state)
{
    const uint64_t mores[] = {0x1000, 0x10000000};

    (void)state;
    for (size_t i = 0; i < sizeof(mores) / sizeof(*mores); i++) {
        more = mores[i];
        run(HIGH, run_moved_again);
        assert_int_equal(told->slide, slide);
        assert_int_equal(told->unknown, HIGH + slide + more + 0x100);
        assert_int_equal(told->blocks, 0);
    }
}

/* --- Another build, and patches --- */

static void run_another(uint64_t address)
{
    check(0, address, LONG);
    for (unsigned i = 1; i < 100; i++)
        check(i * 0x40 + 0x28, address + i * 0x40, LONG);
}

static void another_build_is_told(void **state)
{
    (void)state;
    run(LOW, run_another);
    assert_int_equal(told->blocks, 64);
    assert_int_equal(told->different, 63);
    assert_int_equal(told->slides + told->places, 0);
}

/* A short run in which this many blocks match the file. */
static unsigned in_common;

static void run_shortly(uint64_t address)
{
    for (unsigned i = 0; i < 12; i++)
        check(i * 0x40 + (i < in_common ? 0 : 0x28), address + slide + i * 0x40, LONG);
}

static void a_short_run_is_told_if_most_of_it_differs(void **state)
{
    (void)state;
    in_common = 4;
    run(HIGH, run_shortly);
    assert_int_equal(told->slides, 1);
    assert_int_equal(told->blocks, 8); /* without those that determined the slide */
    assert_int_equal(told->different, 8);
    in_common = 8;
    run(HIGH, run_shortly);
    assert_int_equal(told->blocks, 0);
    assert_int_equal(told->places, 4 * LONG);
}

/* One block in this many is different. */
static unsigned part;

static void run_another_in_part(uint64_t address)
{
    for (unsigned i = 0; i < 120; i++)
        check(i * 0x40 + (i % part == 1 ? 0x28 : 0), address + i * 0x40, LONG);
}

static void a_build_that_differs_in_part_is_told(void **state)
{
    (void)state;
    part = 7;
    run(HIGH, run_another_in_part);
    assert_true(told->different > 0 && told->different > told->blocks / 8);
    part = 10;
    run(HIGH, run_another_in_part);
    assert_int_equal(told->blocks, 0);
    assert_int_equal(told->places, 12 * LONG);
}

static void run_a_loader(uint64_t address)
{
    for (unsigned i = 0; i < 63; i++)
        check(i * 0x40 + 0x28, address + i * 0x40, LONG);
    check(0x1000, address + 0x1000, LONG);
}

static void a_loader_where_the_kernel_will_lie_is_no_other_build(void **state)
{
    (void)state;
    run(LOW, run_a_loader);
    assert_int_equal(told->blocks + told->places, 0);
    run(LOW, run_another);
    assert_int_equal(told->blocks, 64);
}

static void run_patched(uint64_t address)
{
    for (unsigned round = 0; round < 2; round++)
        for (unsigned i = 0; i < 50; i++) {
            uint8_t bytes[LONG * INSTRUCTION];

            memcpy(bytes, file + i * 0x40, sizeof(bytes));
            bytes[3 * INSTRUCTION] ^= i % 5 == 1;
            check_bytes(bytes, address + i * 0x40, LONG);
        }
}

static void each_patched_place_is_counted_once(void **state)
{
    (void)state;
    run(HIGH, run_patched);
    assert_int_equal(told->places, 10);
    assert_int_equal(told->blocks, 0);
}

static void a_file_that_cannot_be_read_is_refused(void **state)
{
    static const struct request request = {
        .code_file = -1, .code_count = 1, .code = {{.address = LOW, .size = SIZE}}};

    (void)state;
    assert_false(code_begin(&request));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_begins_with_the_first_block_of_the_file),
        cmocka_unit_test(a_block_of_a_few_bytes_is_no_beginning),
        cmocka_unit_test(several_blocks_tell_a_slide),
        cmocka_unit_test(code_of_the_high_half_that_runs_below_is_no_slide),
        cmocka_unit_test(one_function_in_common_or_short_blocks_tell_no_slide),
        cmocka_unit_test(a_kernel_may_move_itself_after_its_first_blocks),
        cmocka_unit_test(relocated_fields_are_the_same),
        cmocka_unit_test(its_memory_tells_a_slide_before_the_first_block),
        cmocka_unit_test(a_kernel_may_jump_high_after_many_blocks),
        cmocka_unit_test(a_kernel_that_was_loaded_elsewhere_may_jump_high),
        cmocka_unit_test(a_copied_page_is_no_slide),
        cmocka_unit_test(without_memory_several_blocks_tell_a_slide),
        cmocka_unit_test(the_page_of_a_block_must_be_the_files),
        cmocka_unit_test(a_slide_by_which_more_differs_than_agrees_is_none),
        cmocka_unit_test(code_of_the_upper_half_that_is_not_in_the_file_is_told),
        cmocka_unit_test(a_slide_that_changes_at_a_reset_is_told),
        cmocka_unit_test(another_build_is_told),
        cmocka_unit_test(a_short_run_is_told_if_most_of_it_differs),
        cmocka_unit_test(a_build_that_differs_in_part_is_told),
        cmocka_unit_test(a_loader_where_the_kernel_will_lie_is_no_other_build),
        cmocka_unit_test(each_patched_place_is_counted_once),
        cmocka_unit_test(a_file_that_cannot_be_read_is_refused),
    };

    srand(1);
    for (size_t i = 0; i < SIZE; i++)
        file[i] = (uint8_t)rand();
    told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return told == MAP_FAILED || cmocka_run_group_tests(tests, NULL, NULL);
}
