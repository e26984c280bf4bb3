/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The system calls of kernel/syscall/syscall_table.h for programs. A result below 0 is a negative
 * errno.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernel/syscall/syscall_table.h"

#define SYSTEM_NUMBER(number, name, arguments) SYSTEM_##name = (number),
#define SYSTEM_NO_ARGUMENT(type, name, kind)
enum { SYSCALLS(SYSTEM_NUMBER, SYSTEM_NO_ARGUMENT) };
#undef SYSTEM_NUMBER
#undef SYSTEM_NO_ARGUMENT

/* `syscall` overwrites rcx and r11. */
static inline long system_call(long number, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    register uint64_t fourth __asm__("r10") = d;
    long result;

    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth)
                     : "rcx", "r11", "memory");
    return result;
}

static inline long system_read(int fd, void *to, size_t length)
{
    return system_call(SYSTEM_read, (uint64_t)fd, (uintptr_t)to, length, 0);
}

static inline long system_write(int fd, const void *from, size_t length)
{
    return system_call(SYSTEM_write, (uint64_t)fd, (uintptr_t)from, length, 0);
}

static inline long system_open(const char *path, int flags)
{
    return system_call(SYSTEM_open, (uintptr_t)path, (uint64_t)flags, 0, 0);
}

static inline long system_close(int fd)
{
    return system_call(SYSTEM_close, (uint64_t)fd, 0, 0, 0);
}

static inline long system_lseek(int fd, long offset, int whence)
{
    return system_call(SYSTEM_lseek, (uint64_t)fd, (uint64_t)offset, (uint64_t)whence, 0);
}

struct pollfd;

static inline long system_poll(struct pollfd *wishes, unsigned count, int milliseconds)
{
    return system_call(SYSTEM_poll, (uintptr_t)wishes, count, (uint64_t)milliseconds, 0);
}

/* Maps anonymous memory; a result below 0 is an error. */
static inline long system_mmap(size_t length, int access)
{
    const long private_anonymous = 0x22;

    return system_call(SYSTEM_mmap, 0, length, (uint64_t)access, (uint64_t)private_anonymous);
}

static inline long system_munmap(uintptr_t address, size_t length)
{
    return system_call(SYSTEM_munmap, address, length, 0, 0);
}

static inline long system_nanosleep(long seconds, long nanoseconds)
{
    const long time[2] = {seconds, nanoseconds};

    return system_call(SYSTEM_nanosleep, (uintptr_t)time, 0, 0, 0);
}

static inline long system_getpid(void)
{
    return system_call(SYSTEM_getpid, 0, 0, 0, 0);
}

static inline _Noreturn void system_exit(int status)
{
    for (;;)
        system_call(SYSTEM_exit, (uint64_t)status, 0, 0, 0);
}

static inline long system_wait4(int pid, int *status, int options)
{
    return system_call(SYSTEM_wait4, (uint64_t)pid, (uintptr_t)status, (uint64_t)options, 0);
}

static inline long system_kill(int pid, int signal)
{
    return system_call(SYSTEM_kill, (uint64_t)pid, (uint64_t)signal, 0, 0);
}

static inline long system_rename(const char *from, const char *to)
{
    return system_call(SYSTEM_rename, (uintptr_t)from, (uintptr_t)to, 0, 0);
}

static inline long system_mkdir(const char *path)
{
    return system_call(SYSTEM_mkdir, (uintptr_t)path, 0, 0, 0);
}

static inline long system_rmdir(const char *path)
{
    return system_call(SYSTEM_rmdir, (uintptr_t)path, 0, 0, 0);
}

static inline long system_unlink(const char *path)
{
    return system_call(SYSTEM_unlink, (uintptr_t)path, 0, 0, 0);
}

static inline long system_spawn(const char *path, const char *const *argv)
{
    return system_call(SYSTEM_spawn, (uintptr_t)path, (uintptr_t)argv, 0, 0);
}
