/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * QEMU writes serial lines byte by byte with a system call each, more than half of the host's cost
 * of a streamed recording. tools/machine preloads this library (LD_PRELOAD): single bytes for a
 * regular file wait here and are written together, GATHER_DELAY after the first. QEMU's other
 * operations on the file come after them, and so does whatever it sends to a socket: a debugger
 * that is told of a stop finds the guest's earlier output in the files. The guest sees no
 * difference, because a regular file takes every byte at once.
 *
 * Bytes that wait are written when QEMU exits, also by SIGTERM, which it handles. SIGKILL and a
 * crash lose the last GATHER_DELAY. Tested by tests/host/gather.t.
 *
 * Any of QEMU's threads writes, and a thread of this library writes what has waited long enough;
 * `lock` guards all static data.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define GATHER_DELAY 5000000 /* nanoseconds */
#define ROOM         65536   /* bytes that wait for one file */
#define FILES        64      /* only lower descriptors are gathered; QEMU opens the lines early */

enum kind { UNKNOWN, GATHERED, LEFT_ALONE };

struct file {
    enum kind kind;
    size_t length;
    char bytes[ROOM];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t waiting = PTHREAD_COND_INITIALIZER;
static struct file files[FILES]; /* by descriptor */
static bool dirty;               /* bytes wait, and the writer was signalled */
static bool started;             /* the writer's thread exists */
static bool lost;                /* bytes were, which was reported */

/*
 * The caller holds the lock. Bytes that a full disk refuses are lost, as without this library:
 * QEMU's serial lines ignore errors. The first loss is reported.
 */
static void flush(int fd)
{
    struct file *file = &files[fd];
    size_t written = 0;

    while (written < file->length) {
        ssize_t now = syscall(SYS_write, fd, file->bytes + written, file->length - written);

        if (now < 0 && errno != EINTR) {
            if (!lost)
                perror("QEMU: the file of a serial line is cut");
            lost = true;
            break;
        }
        written += now > 0 ? (size_t)now : 0;
    }
    file->length = 0;
}

static void flush_all(void)
{
    for (int fd = 0; fd < FILES; fd++)
        flush(fd);
    dirty = false;
}

static void *write_late(void *unused)
{
    struct timespec delay = {0, GATHER_DELAY};

    (void)unused;
    pthread_mutex_lock(&lock);
    for (;;) {
        while (!dirty)
            pthread_cond_wait(&waiting, &lock);
        pthread_mutex_unlock(&lock);
        nanosleep(&delay, NULL);
        pthread_mutex_lock(&lock);
        flush_all();
    }
    return NULL;
}

/* Starts the writer's thread with all signals blocked: they are for QEMU's own threads. */
static bool start_thread(void)
{
    sigset_t all, before;
    pthread_t thread;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    started = pthread_create(&thread, NULL, write_late, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

/*
 * True if the bytes of this file are gathered: it is a regular file, and there is a thread to write
 * them in time.
 */
static bool gathered(int fd)
{
    struct stat status;

    if (files[fd].kind == UNKNOWN)
        files[fd].kind = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) ? GATHERED : LEFT_ALONE;
    return files[fd].kind == GATHERED && (started || start_thread());
}

static void gather(int fd, char byte)
{
    struct file *file = &files[fd];

    file->bytes[file->length++] = byte;
    if (file->length == ROOM)
        flush(fd);
    if (!dirty) {
        dirty = true;
        pthread_cond_signal(&waiting);
    }
}

ssize_t writev(int fd, const struct iovec *parts, int count)
{
    bool taken = false;

    if (fd < 0 || fd >= FILES)
        return syscall(SYS_writev, fd, parts, count);
    pthread_mutex_lock(&lock);
    if (count == 1 && parts[0].iov_len == 1 && gathered(fd)) {
        gather(fd, *(const char *)parts[0].iov_base);
        taken = true;
    } else {
        flush(fd);
    }
    pthread_mutex_unlock(&lock);
    return taken ? 1 : syscall(SYS_writev, fd, parts, count);
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
    pthread_mutex_lock(&lock);
    if (dirty)
        flush_all();
    pthread_mutex_unlock(&lock);
    return syscall(SYS_sendmsg, fd, message, flags);
}

int close(int fd)
{
    if (fd >= 0 && fd < FILES) {
        pthread_mutex_lock(&lock);
        flush(fd);
        files[fd].kind = UNKNOWN;
        pthread_mutex_unlock(&lock);
    }
    return (int)syscall(SYS_close, fd);
}

__attribute__((destructor)) static void finish(void)
{
    pthread_mutex_lock(&lock);
    flush_all();
    pthread_mutex_unlock(&lock);
}
