/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fs-load [ROUNDS]: loads the file system from user mode, in a directory named after its pid: an
 * editor saves, a logger appends to a log under a lock file, a database writes records. Verifies
 * all it reads, and removes its files.
 */
#include <linux/fcntl.h>

#include "programs/system.h"
#include "programs/text.h"

#define ROUNDS_DEFAULT 3
#define PIECE          5000 /* more than a page, so that it always crosses a page boundary */
#define LINES          6
#define RECORDS        12
#define RECORD         300

int main(int argc, char **argv);

static unsigned char written[PIECE], found[PIECE];
static unsigned random_state = 20090901;
static long calls;
static struct line directory;

/* xorshift, with the triple 13, 17, 5 of Marsaglia, "Xorshift RNGs", 2003 */
static unsigned between(unsigned least, unsigned most)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return least + random_state % (most - least + 1);
}

static void fill(unsigned seed, size_t length)
{
    for (size_t i = 0; i < length; i++)
        written[i] = (unsigned char)((i + seed) * 2654435761u >> 21);
}

/* Counts a call; exits the program if the call failed. */
static long counted(const char *call, long result)
{
    struct line line = {.length = 0};

    calls++;
    if (result >= 0)
        return result;
    line_add(&line, "fs-load: ");
    line_add(&line, call);
    line_add(&line, ": error ");
    line_add_number(&line, -result);
    line_end(&line);
    system_exit(1);
}

static _Noreturn void wrong(const char *what)
{
    say(what);
    system_exit(1);
}

/* Returns "DIRECTORY/name", in buffer `which` (0 or 1): rename needs two buffers. */
__attribute__((noinline)) static const char *path(const char *name, unsigned which)
{
    static struct line paths[2];

    paths[which].length = 0;
    line_add(&paths[which], directory.text);
    line_add(&paths[which], "/");
    line_add(&paths[which], name);
    return paths[which].text;
}

__attribute__((noinline)) static void write_file(const char *name, int flags, unsigned seed,
                                                 size_t length)
{
    int fd = (int)counted("open", system_open(path(name, 0), O_WRONLY | flags));

    fill(seed, length);
    if (counted("write", system_write(fd, written, length)) != (long)length)
        wrong("fs-load: a file was not written whole");
    counted("close", system_close(fd));
}

static void expect(unsigned seed, size_t length)
{
    fill(seed, length);
    for (size_t i = 0; i < length; i++)
        if (found[i] != written[i])
            wrong("fs-load: a file does not hold what was written");
}

__attribute__((noinline)) static void verify_file(const char *name, unsigned seed, size_t length)
{
    int fd = (int)counted("open", system_open(path(name, 0), O_RDONLY));

    if (counted("read", system_read(fd, found, sizeof(found))) != (long)length)
        wrong("fs-load: a file has the wrong length");
    counted("close", system_close(fd));
    expect(seed, length);
}

static void rename_file(const char *from, const char *to)
{
    counted("rename", system_rename(path(from, 0), path(to, 1)));
}

__attribute__((noinline)) static void client_editor(void)
{
    unsigned seed = between(1, 1u << 30);
    size_t length = between(200, PIECE);

    write_file("draft", O_CREAT | O_TRUNC, seed, length);
    rename_file("draft", "text");
    verify_file("text", seed, length);
}

__attribute__((noinline)) static void client_logger(void)
{
    for (unsigned i = 0; i < LINES; i++) {
        write_file("lock.new", O_CREAT, 1, 8);
        rename_file("lock.new", "lock");
        write_file("log", O_CREAT | O_APPEND, i, between(20, 200));
        counted("unlink", system_unlink(path("lock", 0)));
    }
    counted("unlink", system_unlink(path("log", 0)));
}

__attribute__((noinline)) static void client_database(void)
{
    int fd = (int)counted("open", system_open(path("records", 0), O_RDWR | O_CREAT));

    for (unsigned i = 0; i < RECORDS; i++) {
        unsigned record = between(0, RECORDS - 1);

        counted("lseek", system_lseek(fd, (long)record * RECORD, 0));
        fill(record, RECORD);
        counted("write", system_write(fd, written, RECORD));
        counted("lseek", system_lseek(fd, -RECORD, 1));
        if (counted("read", system_read(fd, found, RECORD)) != RECORD)
            wrong("fs-load: a record is not whole");
        expect(record, RECORD);
    }
    counted("close", system_close(fd));
}

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? text_number(argv[1]) : ROUNDS_DEFAULT;

    if (rounds < 1) {
        say("fs-load: give the number of rounds, or nothing");
        return 2;
    }
    line_add(&directory, "/fs-load.");
    line_add_number(&directory, system_getpid());
    counted("mkdir", system_mkdir(directory.text));
    for (long round = 0; round < rounds; round++) {
        client_editor();
        client_logger();
        client_database();
    }
    counted("unlink", system_unlink(path("text", 0)));
    counted("unlink", system_unlink(path("records", 0)));
    counted("rmdir", system_rmdir(directory.text));
    say_number("fs-load: ", calls, " system calls, all verified");
    return 0;
}
