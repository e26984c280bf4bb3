/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of system calls, expanded by the dispatcher, tracepoints, the programs' stubs and what
 * `perf trace` is given, with two macros:
 *
 *     CALL(number, name, arguments)    arguments: up to six ARG, in order
 *     ARG(type, name, kind)            the C type, as in Linux's formats
 *
 * Numbers, names, arguments and errors are those of Linux for x86-64 (arch/x86/entry/syscalls;
 * linux/errno.h), so that Linux's tools can name them. SYSCALL_OWN is the first number of calls
 * that Linux lacks, well above Linux's. Kinds:
 *
 *     FD      a file descriptor            INT     an int, printed in decimal
 *     SIZE    a length                     LONG    a long or an offset, printed in decimal
 *     HEX     flags or an address, printed in hexadecimal
 *     PATH    a NUL-terminated string in the program's memory
 *     IN      memory that the call reads   OUT     memory that the call writes
 */
#pragma once

#define SYSCALL_OWN 1024

enum syscall_kind {
    SYSCALL_NONE,
    SYSCALL_FD,
    SYSCALL_INT,
    SYSCALL_LONG,
    SYSCALL_SIZE,
    SYSCALL_HEX,
    SYSCALL_PATH, /* from here on addresses */
    SYSCALL_IN,
    SYSCALL_OUT
};

#define SYSCALLS(CALL, ARG)                                                                        \
    CALL(0, read, ARG(unsigned int, fd, FD) ARG(char *, buf, OUT) ARG(size_t, count, SIZE))        \
    CALL(1, write, ARG(unsigned int, fd, FD) ARG(const char *, buf, IN) ARG(size_t, count, SIZE))  \
    CALL(2, open, ARG(const char *, filename, PATH) ARG(int, flags, HEX) ARG(umode_t, mode, HEX))  \
    CALL(3, close, ARG(unsigned int, fd, FD))                                                      \
    CALL(7, poll,                                                                                  \
         ARG(struct pollfd *, ufds, OUT) ARG(unsigned int, nfds, SIZE)                             \
             ARG(int, timeout_msecs, INT))                                                         \
    CALL(8, lseek,                                                                                 \
         ARG(unsigned int, fd, FD) ARG(off_t, offset, LONG) ARG(unsigned int, whence, INT))        \
    CALL(9, mmap,                                                                                  \
         ARG(unsigned long, addr, HEX) ARG(unsigned long, len, SIZE) ARG(unsigned long, prot, HEX) \
             ARG(unsigned long, flags, HEX) ARG(unsigned long, fd, FD)                             \
                 ARG(unsigned long, off, HEX))                                                     \
    CALL(11, munmap, ARG(unsigned long, addr, HEX) ARG(size_t, len, SIZE))                         \
    CALL(24, sched_yield, )                                                                        \
    CALL(35, nanosleep,                                                                            \
         ARG(struct __kernel_timespec *, rqtp, IN) ARG(struct __kernel_timespec *, rmtp, OUT))     \
    CALL(39, getpid, )                                                                             \
    CALL(60, exit, ARG(int, error_code, INT))                                                      \
    CALL(61, wait4,                                                                                \
         ARG(pid_t, upid, INT) ARG(int *, stat_addr, OUT) ARG(int, options, HEX)                   \
             ARG(struct rusage *, ru, OUT))                                                        \
    CALL(62, kill, ARG(pid_t, pid, INT) ARG(int, sig, INT))                                        \
    CALL(82, rename, ARG(const char *, oldname, PATH) ARG(const char *, newname, PATH))            \
    CALL(83, mkdir, ARG(const char *, pathname, PATH) ARG(umode_t, mode, HEX))                     \
    CALL(84, rmdir, ARG(const char *, pathname, PATH))                                             \
    CALL(87, unlink, ARG(const char *, pathname, PATH))                                            \
    CALL(110, getppid, )                                                                           \
    CALL(1024, spawn, ARG(const char *, filename, PATH) ARG(const char *const *, argv, IN))
