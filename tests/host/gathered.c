/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gathered FILE [ORDER]...: writes FILE as QEMU writes a serial line's, for tests/host/gather.t,
 * which preloads tools/gather. Orders: `bytes=TEXT` writes each byte by itself, `word=TEXT` all at
 * once, `many=COUNT` so many single bytes, 'a' to 'z' repeatedly; `next=FILE` continues in another
 * file, `wait` reads a line from stdin, `send` sends a byte to a socket and then prints the file's
 * length. At the end it prints the number of its writes.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static int open_file(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

    if (fd < 0) {
        perror(path);
        exit(1);
    }
    return fd;
}

static void write_part(int fd, const char *text, size_t length)
{
    struct iovec part = {(void *)text, length};

    if (writev(fd, &part, 1) != (ssize_t)length) {
        perror("writev");
        exit(1);
    }
}

static void write_bytes(int fd, const char *text)
{
    for (; *text; text++)
        write_part(fd, text, 1);
}

static void write_many(int fd, unsigned long count)
{
    for (unsigned long i = 0; i < count; i++)
        write_part(fd, &"abcdefghijklmnopqrstuvwxyz"[i % 26], 1);
}

static void send_and_look(int fd)
{
    char byte = 'x';
    struct iovec part = {&byte, 1};
    const struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    struct stat status;
    int ends[2];

    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0 || sendmsg(ends[0], &message, 0) != 1 ||
        fstat(fd, &status) < 0) {
        perror("send");
        exit(1);
    }
    printf("length: %ld\n", (long)status.st_size);
    close(ends[0]);
    close(ends[1]);
}

static const char *value(const char *order, const char *name)
{
    size_t length = strlen(name);

    return strncmp(order, name, length) == 0 ? order + length : NULL;
}

static int obey(int fd, const char *order)
{
    const char *text;

    if ((text = value(order, "bytes="))) {
        write_bytes(fd, text);
    } else if ((text = value(order, "word="))) {
        write_part(fd, text, strlen(text));
    } else if ((text = value(order, "many="))) {
        write_many(fd, strtoul(text, NULL, 10));
    } else if ((text = value(order, "next="))) {
        close(fd);
        fd = open_file(text);
    } else if (strcmp(order, "send") == 0) {
        send_and_look(fd);
    } else if (strcmp(order, "wait") == 0) {
        while (getchar() != '\n' && !feof(stdin))
            ;
    } else {
        fprintf(stderr, "no such order: %s\n", order);
        exit(1);
    }
    return fd;
}

static void print_calls(void)
{
    FILE *file = fopen("/proc/self/io", "r");
    char line[80];

    while (file && fgets(line, sizeof(line), file))
        if (strncmp(line, "syscw:", 6) == 0)
            fputs(line, stdout);
    if (file)
        fclose(file);
}

int main(int argc, char **argv)
{
    int fd;

    if (argc < 2)
        return 2;
    fd = open_file(argv[1]);
    for (int i = 2; i < argc; i++)
        fd = obey(fd, argv[i]);
    print_calls();
    return 0;
}
