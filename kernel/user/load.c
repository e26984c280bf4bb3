/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads a program's file into memory. Task context. */
#include "arch/memory.h"
#include "core/lib/print.h"
#include "core/lib/string.h"
#include "kernel/user/elf.h"
#include "kernel/user/process.h"

/*
 * The stack lies away from segments and the range of mmap; the page below the stack is never
 * mapped.
 */
#define STACK_TOP  ((uintptr_t)0x7fff00000000)
#define STACK_SIZE ((size_t)65536)

#define ARGUMENTS_MAX 32

/*
 * Maximum number of words at the initial stack pointer: argc, argv with its NULL, an empty
 * environment, and an empty auxiliary vector.
 */
#define WORDS_MOST (ARGUMENTS_MAX + 1 + 1 + 1 + 2)

static int map(struct process *process, uintptr_t start, uintptr_t end, uint64_t offset,
               enum arch_page access, const char *name)
{
    const struct process_mapping mapping = {.base = start & ~(PAGE_SIZE - 1),
                                            .size = ((end + PAGE_SIZE - 1) & ~(PAGE_SIZE - 1)) -
                                                    (start & ~(PAGE_SIZE - 1)),
                                            .offset = offset & ~(uint64_t)(PAGE_SIZE - 1),
                                            .access = access,
                                            .name = name};

    return process_map(process, &mapping);
}

static int load_segment(struct process *process, int fd, const struct elf_segment *segment)
{
    int error = map(process, segment->address, segment->address + segment->size, segment->offset,
                    segment->access, process->path);
    size_t part;

    for (uint64_t done = 0; error == 0 && done < segment->file_size; done += part) {
        void *to;

        part = segment->file_size - done;
        to = arch_user_reach(process->space, segment->address + done, ARCH_PAGE_READ, &part);
        error = elf_file_read(fd, segment->offset + done, to, part);
    }
    return error;
}

static int load_file(struct process *process, int fd, struct refusal *why)
{
    struct elf_start start;
    struct elf_image image;
    int error = elf_file_start(fd, &start);

    if (!error)
        error = elf_read(start.bytes, start.length, start.file_size, &image, why);
    if (error)
        return error == -ENOEXEC ? error : refuse(why, -error, "cannot be read");
    for (unsigned i = 0; i < image.count && !error; i++)
        error = load_segment(process, fd, &image.segment[i]);
    process->entry = image.entry;
    return error ? refuse(why, -error, "no memory for it") : 0;
}

/*
 * Writes the strings at the top of the stack, in order, and below them the words that point to
 * them.
 */
static int load_arguments(struct process *process, int argc, char *const *argv)
{
    uint64_t words[WORDS_MOST] = {(uint64_t)argc};
    uintptr_t text = STACK_TOP - PROCESS_ARGUMENT;

    if (argc > ARGUMENTS_MAX)
        return -E2BIG;
    process->stack = (text - sizeof(words)) & ~(uintptr_t)15;
    for (int i = 0; i < argc; i++) {
        size_t size = strlen(argv[i]) + 1;

        if (size > STACK_TOP - text)
            return -E2BIG;
        words[1 + i] = text;
        arch_user_write(process->space, text, argv[i], size);
        text += size;
    }
    arch_user_write(process->space, process->stack, words, sizeof(words));
    return 0;
}

static int load_stack(struct process *process, int argc, char *const *argv, struct refusal *why)
{
    int error = map(process, STACK_TOP - STACK_SIZE, STACK_TOP, 0, ARCH_PAGE_WRITE, "[stack]");

    if (error)
        return refuse(why, -error, "no memory for its stack");
    error = load_arguments(process, argc, argv);
    if (error)
        return refuse(why, -error, "%d arguments in %d bytes are allowed", ARGUMENTS_MAX,
                      PROCESS_ARGUMENT);
    return 0;
}

int load_program(struct process *process, const char *path, int argc, char *const *argv,
                 struct refusal *why)
{
    struct refusal what;
    int fd = fs_open(path, FS_READ), error;

    if (fd < 0)
        return refuse(why, -fd, "%s: %s", path,
                      fd == -EISDIR ? "it is a directory" : "there is no such file");
    print_into(process->path, sizeof(process->path), "%s", path);
    process->space = arch_space_create();
    error = process->space ? load_file(process, fd, &what)
                           : refuse(&what, ENOMEM, "no memory for its address space");
    fs_close(fd);
    if (!error)
        error = load_stack(process, argc, argv, &what);
    return error ? refuse(why, -error, "%s: %s", path, what.text) : 0;
}
