/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * chance [SEED [CALLS]]: random system calls, with valid and invalid arguments of each kind
 * (kernel/syscall/syscall_table.h), for tests/boot/user.t. Ignores results and leaves no file.
 * Avoids what would end or stop the program or affect others: `exit`, other programs' files,
 * descriptors 0 to 2, sleeps of more than a millisecond, its own text and stack.
 */
#include <stdbool.h>

#include "programs/system.h"
#include "programs/text.h"

#define PAGE         4096ul
#define KERNEL       0xffffffff80200000ul
#define NO_ADDRESS   0x800000000000ul /* the first non-canonical address */
#define FILES        16
#define TREE_DEEPEST 256 /* size of the longest path, with its NUL */

int main(int argc, char **argv);

#define TABLE_ARGUMENT(type, name, kind)    {SYSCALL_##kind, #name},
#define TABLE_CALL(number, name, arguments) {number, {arguments}},

static const struct call {
    long number;
    struct {
        enum syscall_kind kind;
        const char *name;
    } argument[6];
} table[] = {SYSCALLS(TABLE_CALL, TABLE_ARGUMENT)};

#define CALLS        (sizeof(table) / sizeof(table[0]))
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const own[] = {"/chance.d/a", "/chance.d", "/chance.a", "/chance.b"};
static char long_path[600]; /* longer than any valid path */
static char buffer[16 * PAGE];
static const long moment[2] = {0, 1000};
static uint64_t state;
static uint64_t mapped, mapped_length; /* the last mapping from mmap */

static uint64_t chance(uint64_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % below;
}

static uint64_t one_of(const uint64_t *values, size_t count)
{
    return values[chance(count)];
}

static uint64_t path(void)
{
    const uint64_t others[] = {(uintptr_t) "",
                               (uintptr_t) "/",
                               (uintptr_t) "chance.a",
                               (uintptr_t)long_path,
                               0,
                               0x10,
                               KERNEL,
                               NO_ADDRESS,
                               ~0ul};

    return chance(4) ? (uintptr_t)own[chance(COUNT(own))] : one_of(others, COUNT(others));
}

static uint64_t pointer(const char *name)
{
    const uint64_t bad[] = {0,          0x10,     KERNEL,     NO_ADDRESS - 1,
                            NO_ADDRESS, ~0ul - 7, mapped - 1, (uintptr_t)main};

    if (chance(3) == 0 && !text_equal(name, "rqtp"))
        return one_of(bad, COUNT(bad));
    return text_equal(name, "rqtp") ? (uintptr_t)moment : (uintptr_t)buffer + chance(2 * PAGE);
}

static uint64_t number(const char *name)
{
    const uint64_t any[] = {0, 1, 2, 3, ~0ul, 64, PAGE, 1ul << 20, 1ul << 31, 1ul << 40, 1ul << 63};

    return text_equal(name, "timeout_msecs") ? chance(2) : one_of(any, COUNT(any));
}

static uint64_t size(void)
{
    const uint64_t sizes[] = {0,         1,         7,   PAGE - 1, PAGE, PAGE + 1, sizeof(buffer),
                              1ul << 40, 1ul << 63, ~0ul};

    return one_of(sizes, COUNT(sizes));
}

/* Chooses munmap's arguments: the last mapping from mmap, or one that the program cannot have. */
static void choose_mapping(uint64_t *argument)
{
    const uint64_t others[] = {1, KERNEL, NO_ADDRESS, mapped + 1};

    argument[0] = chance(2) && mapped ? mapped : one_of(others, COUNT(others));
    argument[1] = argument[0] == mapped ? mapped_length : size();
}

static uint64_t argument_of(enum syscall_kind kind, const char *name)
{
    switch (kind) {
    case SYSCALL_FD:
        return chance(8) ? 3 + chance(FILES) : ~0ul << chance(64);
    case SYSCALL_INT:
    case SYSCALL_LONG:
        return number(name);
    case SYSCALL_SIZE:
        return size();
    case SYSCALL_HEX:
        return chance(2) ? chance(0x1000) : chance(~0ul);
    case SYSCALL_PATH:
        return path();
    case SYSCALL_IN:
    case SYSCALL_OUT:
        return pointer(name);
    default:
        return 0;
    }
}

/* Makes the call with random arguments. Returns true if it was refused. */
static bool call_one(const struct call *call)
{
    uint64_t argument[6];
    long result;

    for (unsigned i = 0; i < 6; i++)
        argument[i] = argument_of(call->argument[i].kind, call->argument[i].name);
    if (call->number == SYSTEM_munmap)
        choose_mapping(argument);
    result = system_call(call->number, argument[0], argument[1], argument[2], argument[3]);
    if (call->number == SYSTEM_mmap && result > 0) {
        mapped = (uint64_t)result;
        mapped_length = argument[1];
    } else if (call->number == SYSTEM_munmap && result == 0) {
        mapped = 0;
    }
    return result < 0;
}

/*
 * Makes a random call, sometimes with a number that no call has. Returns true if it was refused;
 * `exit` is not called and counts as refused.
 */
static bool call_by_chance(void)
{
    const struct call *call = &table[chance(CALLS)];

    if (chance(32) == 0)
        return system_call((long)(2048 + chance(~0ul >> 1)), KERNEL, 1, 2, 3) < 0;
    return call->number == SYSTEM_exit || call_one(call);
}

/* Removes `path` and its contents: directories moved into each other, all called "a". */
static void remove_tree(char path[TREE_DEEPEST], size_t length)
{
    if (system_unlink(path) == 0 || length + sizeof("/a") > TREE_DEEPEST)
        return;
    path[length] = '/';
    path[length + 1] = 'a';
    path[length + 2] = '\0';
    remove_tree(path, length + 2);
    path[length] = '\0';
    system_rmdir(path);
}

static void clean_up(void)
{
    static const char *const roots[] = {"/chance.d", "/chance.a", "/chance.b"};
    char path[TREE_DEEPEST];
    size_t length;

    for (int fd = 3; fd < 3 + FILES; fd++)
        system_close(fd);
    for (unsigned i = 0; i < COUNT(roots); i++) {
        for (length = 0; roots[i][length]; length++)
            path[length] = roots[i][length];
        path[length] = '\0';
        remove_tree(path, length);
    }
}

int main(int argc, char **argv)
{
    long calls = argc > 2 ? text_number(argv[2]) : 20000, refused = 0;
    struct line line = {.length = 0};

    state = argc > 1 ? (uint64_t)text_number(argv[1]) : 1;
    state |= state == 0;
    for (size_t i = 0; i < sizeof(long_path) - 1; i++)
        long_path[i] = i % 100 ? 'x' : '/';
    for (long i = 0; i < calls; i++)
        refused += call_by_chance();
    clean_up();
    line_add(&line, "chance: ");
    line_add_number(&line, calls);
    line_add(&line, " calls, ");
    line_add_number(&line, refused);
    line_add(&line, " refused");
    line_end(&line);
    return 0;
}
