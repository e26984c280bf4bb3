/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * calls: tests what each system call promises, and that none follows a pointer outside the
 * program's memory. It prints a line for each claim; the exit status is the number of failed ones.
 * `calls exit N`, `calls sleep`, `calls stop`, `calls flags`, `calls orphan` and `calls parent PID`
 * are its children.
 */
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/poll.h>
#include <stdbool.h>

#include "programs/system.h"
#include "programs/text.h"

#define PAGE      4096
#define FILE_NAME "/calls.file"
#define JUNK_NAME "/calls.junk"
#define FILES     13 /* that can be open besides the three standard ones */
#define SIGKILL   9
#define SIGCONT   18
#define SIGSTOP   19
#define WNOHANG   1

int main(int argc, char **argv);

static int failed;

static void claim(bool holds, const char *text)
{
    struct line line = {.length = 0};

    line_add(&line, holds ? "calls: ok - " : "calls: not ok - ");
    line_add(&line, text);
    line_end(&line);
    failed += !holds;
}

/* --- Bad pointers ----------------------------------------------------------------------------- */

#define TABLE_ARGUMENT(type, name, kind)    {SYSCALL_##kind, #name},
#define TABLE_CALL(number, name, arguments) {number, #name, {arguments}},

static const struct call {
    long number;
    const char *name;
    struct {
        enum syscall_kind kind;
        const char *name;
    } argument[6];
} table[] = {SYSCALLS(TABLE_CALL, TABLE_ARGUMENT)};

#define CALLS (sizeof(table) / sizeof(table[0]))

static const char constant[PAGE] = "constant"; /* ends with its page: read-only data is aligned */
static char *argv_good[] = {(char *)"calls", (char *)"exit", NULL};
static struct pollfd poll_good = {.fd = 1, .events = POLLOUT};
static long buffer[32];

/* True if it may be NULL: nothing is stored there then. */
static bool is_optional(const char *name)
{
    return text_equal(name, "rmtp") || text_equal(name, "stat_addr") || text_equal(name, "ru");
}

static uint64_t good_pointer(const char *name)
{
    if (text_equal(name, "argv"))
        return (uintptr_t)argv_good;
    if (text_equal(name, "ufds"))
        return (uintptr_t)&poll_good;
    return is_optional(name) ? 0 : (uintptr_t)buffer;
}

/* An argument with which a call fails only because of the tested pointer. */
static uint64_t good_argument(enum syscall_kind kind, const char *name, int fd)
{
    switch (kind) {
    case SYSCALL_FD:
        return (uint64_t)fd;
    case SYSCALL_SIZE:
        return 1;
    case SYSCALL_INT:
        return text_equal(name, "upid") ? (uint64_t)-1 : 0;
    case SYSCALL_PATH:
        return (uintptr_t)FILE_NAME;
    case SYSCALL_IN:
    case SYSCALL_OUT:
        return good_pointer(name);
    default:
        return 0;
    }
}

static bool refuses(const struct call *call, unsigned which, uint64_t pointer, int fd)
{
    uint64_t argument[6];
    long result;

    for (unsigned i = 0; i < 6; i++)
        argument[i] = good_argument(call->argument[i].kind, call->argument[i].name, fd);
    argument[which] = pointer;
    result = system_call(call->number, argument[0], argument[1], argument[2], argument[3]);
    return result == -EFAULT;
}

static void say_refused(const struct call *call, unsigned which, bool all)
{
    struct line line = {.length = 0};

    line_add(&line, call->name);
    line_add(&line, " refuses what is not there as its ");
    line_add(&line, call->argument[which].name);
    line.text[line.length] = '\0';
    claim(all, line.text);
}

static void try_pointer(const struct call *call, unsigned which, int fd)
{
    const uint64_t bad[] = {0x10,
                            0xfff,
                            0xffff,
                            0x7fffffffefff,
                            0x7fffffffffff,
                            0x800000000000,
                            0x8000000000000000,
                            0xffff7fffffffffff,
                            0xffff800000100000,
                            0xffffffff80200000,
                            0xffffffffffffffff,
                            0xfffffffffffff000,
                            0x7fff00000000,
                            0x7f1234567000};
    bool all = true;

    for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        all &= refuses(call, which, bad[i], fd);
    if (!is_optional(call->argument[which].name))
        all &= refuses(call, which, 0, fd);
    if (call->argument[which].kind == SYSCALL_OUT) {
        all &= refuses(call, which, (uintptr_t)main, fd);
        all &= refuses(call, which, (uintptr_t)constant, fd);
    }
    say_refused(call, which, all);
}

static void bad_pointers(void)
{
    int fd = (int)system_open(FILE_NAME, O_RDWR | O_CREAT);
    const char *bad_inside[] = {"calls", (const char *)0x10, NULL};

    system_write(fd, buffer, sizeof(buffer));
    for (unsigned i = 0; i < CALLS; i++)
        for (unsigned j = 0; j < 6; j++)
            if (table[i].argument[j].kind >= SYSCALL_PATH) {
                system_lseek(fd, 0, 0);
                try_pointer(&table[i], j, fd);
            }
    claim(system_spawn("/bin/calls", bad_inside) == -EFAULT, "spawn refuses it inside argv, too");
    system_close(fd);
    system_unlink(FILE_NAME);
}

/* --- Files ------------------------------------------------------------------------------------ */

static void files_in_order(void)
{
    int fd = (int)system_open(FILE_NAME, O_RDWR | O_CREAT | O_TRUNC);
    char text[8] = "";

    claim(fd == 3, "open gives the lowest descriptor that is free");
    claim(system_write(fd, "abcdef", 6) == 6, "write tells how much");
    claim(system_lseek(fd, -2, 1) == 4 && system_read(fd, text, 8) == 2 && text[0] == 'e' &&
              text[1] == 'f',
          "read gives what is left, from where lseek went");
    claim(system_read(fd, text, 8) == 0, "... and nothing at the end");
    claim(system_close(fd) == 0 && system_close(fd) == -EBADF, "close closes once");
    claim(system_read(fd, text, 1) == -EBADF && system_write(99, text, 1) == -EBADF &&
              system_read(-1, text, 1) == -EBADF && system_lseek(fd, 0, 0) == -EBADF,
          "no other call knows it then");
    claim(system_rename(FILE_NAME, JUNK_NAME) == 0 && system_open(FILE_NAME, O_RDONLY) == -ENOENT,
          "rename takes the old name away");
    claim(system_unlink(JUNK_NAME) == 0 && system_unlink(JUNK_NAME) == -ENOENT,
          "unlink removes once");
}

static void files_refused(void)
{
    int most = 0;

    claim(system_open("calls", O_RDWR | O_CREAT) == -EINVAL, "a path begins with a slash");
    claim(system_open(FILE_NAME, O_ACCMODE) == -EINVAL, "flags have to make sense");
    claim(system_mkdir("/calls.d") == 0 && system_mkdir("/calls.d") == -EEXIST &&
              system_open("/calls.d", O_RDONLY) == -EISDIR && system_rmdir("/calls.d") == 0,
          "directories are made, not opened, removed");
    while (most <= FILES && system_open(FILE_NAME, O_RDWR | O_CREAT) >= 0)
        most++;
    claim(most == FILES, "so many files can be open");
    claim(system_open(FILE_NAME, O_RDWR) == -EMFILE, "... and no more");
    for (int fd = 3; fd < 3 + FILES; fd++)
        system_close(fd);
    system_unlink(FILE_NAME);
}

/* The page after the mapping is not mapped. */
static void files_across(void)
{
    long page = system_mmap(PAGE, 3);
    char *end = (char *)page + PAGE;
    int fd = (int)system_open(FILE_NAME, O_RDWR | O_CREAT);

    claim(system_write(fd, end - 4, 8) == 4, "write stops where the program's memory does");
    system_lseek(fd, 0, 0);
    system_write(fd, buffer, 64);
    system_lseek(fd, 0, 0);
    claim(system_read(fd, end - 4, 8) == 4, "and so does read");
    claim(system_write(fd, end, 8) == -EFAULT, "but not where it has not begun");
    system_close(fd);
    for (unsigned i = 1; i <= 4; i++)
        end[-(int)i] = '/';
    claim(system_unlink(end - 4) == -EFAULT, "a path has to end before");
    system_unlink(FILE_NAME);
    system_munmap((uintptr_t)page, PAGE);
}

/* --- Memory, time ----------------------------------------------------------------------------- */

static void memory_calls(void)
{
    long one = system_mmap(PAGE + 1, 3), two = system_mmap(PAGE, 1);
    volatile char *bytes = (char *)one;
    bool zero = true;

    for (unsigned i = 0; i < 2 * PAGE; i++)
        zero &= bytes[i] == 0;
    bytes[2 * PAGE - 1] = 1;
    claim(one > 0 && zero, "mmap gives whole pages of zeros, to write to");
    claim(two >= one + 2 * PAGE || two + PAGE <= one, "each somewhere else");
    claim(system_call(SYSTEM_read, 0, (uint64_t)two, 1, 0) == -EFAULT,
          "what cannot be written is not written by read either");
    claim(system_mmap(PAGE, 7) == -EACCES && system_mmap(PAGE, 5) == -EACCES,
          "memory that can be executed is not to be had");
    claim(system_mmap(0, 3) == -EINVAL && system_mmap(1ul << 40, 3) == -ENOMEM, "mmap has limits");
    claim(system_call(SYSTEM_mmap, 0x400000, PAGE, 3, 0x32) == -EINVAL,
          "a program cannot map over itself");
    claim(system_munmap((uintptr_t)one, PAGE) == -EINVAL &&
              system_munmap(0x400000, PAGE) == -EINVAL &&
              system_munmap((uintptr_t)one, 2 * PAGE) == 0 &&
              system_munmap((uintptr_t)two, PAGE) == 0,
          "munmap takes whole mappings of mmap");
    claim(system_write(1, (char *)one, 1) == -EFAULT, "... which are gone then");
}

static void time_calls(void)
{
    struct pollfd wishes[] = {
        {.fd = 1, .events = POLLOUT}, {.fd = 77, .events = POLLIN}, {.fd = -1, .events = POLLIN}};

    claim(system_nanosleep(0, 1000) == 0, "nanosleep comes back");
    claim(system_nanosleep(-1, 0) == -EINVAL && system_nanosleep(0, 1000000000) == -EINVAL,
          "... and knows what is no time");
    claim(system_poll(wishes, 3, -1) == 2 && wishes[0].revents == POLLOUT &&
              wishes[1].revents == POLLNVAL && wishes[2].revents == 0,
          "poll tells what is ready, and what is no descriptor");
    claim(system_poll(wishes + 2, 1, 5) == 0 && system_poll(NULL, 0, 0) == 0,
          "... and waits for its time where nothing is");
    claim(system_poll(wishes, 513, 0) == -EINVAL, "512 are the most");
}

/* --- Processes -------------------------------------------------------------------------------- */

static long child(const char *what, const char *number)
{
    const char *argv[] = {"calls", what, number, NULL};

    return system_spawn("/bin/calls", argv);
}

static void number_text(char *text, long number)
{
    long unit = 1;

    while (number / unit >= 10)
        unit *= 10;
    for (; unit > 0; unit /= 10)
        *text++ = (char)('0' + number / unit % 10);
    *text = '\0';
}

static void children(void)
{
    int status = -1;
    long pid = child("exit", "7"), sleeper;
    char own[24];

    claim(pid > 0 && system_wait4((int)pid, &status, 0) == pid && status == 7 << 8,
          "wait4 tells the exit status of a child");
    claim(system_wait4((int)pid, &status, 0) == -ECHILD && system_wait4(-1, &status, 0) == -ECHILD,
          "... once");
    sleeper = child("sleep", NULL);
    claim(system_wait4(-1, &status, WNOHANG) == 0, "WNOHANG does not wait");
    claim(system_kill((int)sleeper, 0) == 0 && system_kill((int)sleeper, SIGKILL) == 0 &&
              system_wait4(-1, &status, 0) == sleeper && status == SIGKILL,
          "kill ends one that sleeps, and wait4 tells the signal");
    claim(system_kill((int)sleeper, SIGKILL) == -ESRCH && system_kill(1 << 30, 0) == -ESRCH &&
              system_kill((int)system_getpid(), 99) == -EINVAL,
          "kill knows who is there");
    sleeper = child("sleep", NULL);
    claim(system_kill((int)sleeper, SIGSTOP) == 0 && system_nanosleep(0, 1000) == 0 &&
              system_wait4(-1, &status, WNOHANG) == 0 && system_kill((int)sleeper, SIGCONT) == 0 &&
              system_wait4(-1, &status, WNOHANG) == 0,
          "kill stops one and lets it go on, and wait4 tells neither");
    claim(system_kill((int)sleeper, SIGSTOP) == 0 && system_kill((int)sleeper, SIGKILL) == 0 &&
              system_wait4(-1, &status, 0) == sleeper && status == SIGKILL,
          "... and ends one that is stopped");
    number_text(own, system_getpid());
    pid = child("parent", own);
    claim(system_wait4((int)pid, &status, 0) == pid && status == 0, "a child knows its parent");
    claim(system_call(SYSTEM_sched_yield, 0, 0, 0, 0) == 0, "sched_yield comes back");
    pid = child("orphan", NULL);
    claim(system_wait4((int)pid, &status, 0) == pid && status == 0 &&
              system_wait4(-1, &status, 0) == -ECHILD,
          "a child's child is not one's own");
}

static void spawn_refused(void)
{
    const char *many[40];
    static char long_text[1100];
    const char *too_long[] = {"calls", long_text, NULL};
    int fd = (int)system_open(JUNK_NAME, O_RDWR | O_CREAT);

    for (unsigned i = 0; i < 39; i++)
        many[i] = "x";
    many[39] = NULL;
    for (unsigned i = 0; i < sizeof(long_text) - 1; i++)
        long_text[i] = 'x';
    system_write(fd, "\177ELF and then nothing", 21);
    system_close(fd);
    claim(system_spawn("/bin/none", too_long + 2) == -ENOENT, "spawn wants a file");
    claim(system_spawn(JUNK_NAME, too_long + 2) == -ENOEXEC, "... that is a program");
    claim(system_spawn("/bin/calls", many) == -E2BIG &&
              system_spawn("/bin/calls", too_long) == -E2BIG,
          "... and not too many arguments");
    claim(system_spawn("/bin", too_long + 2) == -EISDIR, "a directory is none");
    system_unlink(JUNK_NAME);
}

#define FLAG_TRAP 0x100ul

/* A program cannot see that it is stepped, neither in the flags that it stores nor in r11. */
static int flags_are_own(void)
{
    unsigned long pushed, loaded, left;
    long number = SYSTEM_getpid;

    __asm__ volatile("pushfq\n\tpop %0" : "=r"(pushed));
    __asm__ volatile("pushfq\n\tpopfq\n\tpushfq\n\tpop %0" : "=r"(loaded));
    __asm__ volatile("syscall\n\tmov %%r11, %0"
                     : "=r"(left), "+a"(number)
                     :
                     : "rcx", "r11", "memory");
    return ((pushed | loaded | left) & FLAG_TRAP) != 0;
}

static int be_child(int argc, char **argv)
{
    if (text_equal(argv[1], "exit"))
        return argc > 2 ? (int)text_number(argv[2]) : 0;
    if (text_equal(argv[1], "sleep")) {
        say("calls: sleeps");
        return system_nanosleep(1000000, 0) != 0;
    }
    if (text_equal(argv[1], "flags"))
        return flags_are_own();
    if (text_equal(argv[1], "stop")) {
        system_kill((int)system_getpid(), SIGSTOP);
        say("calls: goes on");
        return 0;
    }
    if (text_equal(argv[1], "parent"))
        return argc < 3 || system_call(SYSTEM_getppid, 0, 0, 0, 0) != text_number(argv[2]);
    if (text_equal(argv[1], "orphan"))
        return child("exit", "3") < 0 || child("exit", "4") < 0;
    return 2;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return be_child(argc, argv);
    bad_pointers();
    files_in_order();
    files_refused();
    files_across();
    memory_calls();
    time_calls();
    children();
    spawn_refused();
    return failed;
}
