/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls on files. They check arguments, access the program's memory and call kernel/fs,
 * whose limits apply; otherwise they behave as in Linux's manual (docs/programs.md). They run in
 * the program's thread.
 */
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <stdbool.h>

#include "core/lib/print.h"
#include "kernel/syscall/syscalls.h"
#include "kernel/user/process.h"

/* Returns the file of a descriptor, or PROCESS_FILE_NONE. */
static int file_of(uint64_t fd)
{
    fd = (uint32_t)fd;
    return fd < PROCESS_FILES ? process_current()->file[fd] : PROCESS_FILE_NONE;
}

/*
 * Reads or writes the program's memory page by page, until a call moves less than requested or the
 * program is killed, so that a killed program does not first print all of its output.
 */
static int64_t move(int file, uintptr_t address, size_t length, enum arch_page access,
                    int64_t (*call)(int file, void *bytes, size_t length))
{
    size_t done = 0, part;

    do {
        char *bytes;
        int64_t moved;

        part = length - done;
        bytes = arch_user_reach(process_current()->space, address + done, access, &part);
        moved = bytes ? call(file, bytes, part) : -EFAULT;
        if (moved < 0)
            return done > 0 ? (int64_t)done : moved;
        done += (size_t)moved;
        if ((size_t)moved < part || signal_ends(process_current()))
            break;
    } while (done < length);
    return (int64_t)done;
}

static int64_t read_part(int file, void *bytes, size_t length)
{
    return file == PROCESS_FILE_INPUT ? 0 : fs_read(file, bytes, length);
}

/* Skips NULs, because print() would stop there. */
static int64_t write_console(const char *text, size_t length)
{
    for (size_t at = 0; at < length;) {
        size_t end = at;

        while (end < length && text[end] != '\0')
            end++;
        print("%.*s", (int)(end - at), text + at);
        at = end + 1;
    }
    return (int64_t)length;
}

static int64_t write_part(int file, void *bytes, size_t length)
{
    return file == PROCESS_FILE_CONSOLE ? write_console(bytes, length)
                                        : fs_write(file, bytes, length);
}

int64_t sys_read(const struct regs *regs)
{
    int file = file_of(regs->di);

    if (file == PROCESS_FILE_NONE || file == PROCESS_FILE_CONSOLE)
        return -EBADF;
    return move(file, regs->si, regs->dx, ARCH_PAGE_WRITE, read_part);
}

int64_t sys_write(const struct regs *regs)
{
    int file = file_of(regs->di);

    if (file == PROCESS_FILE_NONE || file == PROCESS_FILE_INPUT)
        return -EBADF;
    return move(file, regs->si, regs->dx, ARCH_PAGE_READ, write_part);
}

int64_t sys_lseek(const struct regs *regs)
{
    int file = file_of(regs->di);

    if (file == PROCESS_FILE_NONE)
        return -EBADF;
    if (file < 0)
        return -ESPIPE;
    if (regs->dx > FS_SEEK_END)
        return -EINVAL;
    return fs_seek(file, (int64_t)regs->si, (enum fs_whence)regs->dx);
}

static int flags_of(unsigned flags, unsigned *open)
{
    static const unsigned access[] = {
        [O_RDONLY] = FS_READ, [O_WRONLY] = FS_WRITE, [O_RDWR] = FS_READ | FS_WRITE};

    if ((flags & O_ACCMODE) == O_ACCMODE ||
        flags & ~(unsigned)(O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND))
        return -EINVAL;
    *open = access[flags & O_ACCMODE];
    *open |= flags & O_CREAT ? FS_CREATE : 0;
    *open |= flags & O_TRUNC ? FS_TRUNCATE : 0;
    *open |= flags & O_APPEND ? FS_APPEND : 0;
    return 0;
}

/* Returns the lowest free descriptor, or -EMFILE. */
static int64_t free_descriptor(const struct process *process)
{
    for (int fd = 0; fd < PROCESS_FILES; fd++)
        if (process->file[fd] == PROCESS_FILE_NONE)
            return fd;
    return -EMFILE;
}

int64_t sys_open(const struct regs *regs)
{
    char path[FS_PATH_MAX + 1];
    unsigned flags;
    int64_t error = user_get_text(regs->di, path, sizeof(path)), fd;
    int file;

    if (error >= 0)
        error = flags_of((unsigned)regs->si, &flags);
    if (error < 0)
        return error;
    fd = free_descriptor(process_current());
    if (fd < 0)
        return fd;
    file = fs_open(path, flags);
    if (file < 0)
        return file;
    process_current()->file[fd] = file;
    return fd;
}

int64_t sys_close(const struct regs *regs)
{
    int file = file_of(regs->di);

    if (file == PROCESS_FILE_NONE)
        return -EBADF;
    process_current()->file[(uint32_t)regs->di] = PROCESS_FILE_NONE;
    return file >= 0 ? fs_close(file) : 0;
}

int64_t sys_rename(const struct regs *regs)
{
    char from[FS_PATH_MAX + 1], to[FS_PATH_MAX + 1];
    int64_t error = user_get_text(regs->di, from, sizeof(from));

    if (error >= 0)
        error = user_get_text(regs->si, to, sizeof(to));
    return error < 0 ? error : fs_rename(from, to);
}

static int64_t on_path(const struct regs *regs, int (*call)(const char *path))
{
    char path[FS_PATH_MAX + 1];
    int64_t error = user_get_text(regs->di, path, sizeof(path));

    return error < 0 ? error : call(path);
}

int64_t sys_mkdir(const struct regs *regs)
{
    return on_path(regs, fs_mkdir);
}

int64_t sys_rmdir(const struct regs *regs)
{
    return on_path(regs, fs_rmdir);
}

int64_t sys_unlink(const struct regs *regs)
{
    return on_path(regs, fs_unlink);
}
