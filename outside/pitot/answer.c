/* SPDX-License-Identifier: BSD-2-Clause */
/* See answer.h. */
#define _GNU_SOURCE
#include "outside/pitot/answer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* Returns the end of the pipe to read from, or a negative errno. */
static int start(char *const *words, int first, int last, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    int ends[2], error;

    if (pipe2(ends, O_CLOEXEC) < 0)
        return -errno;
    posix_spawn_file_actions_init(&actions);
    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++)
        posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0);
    for (int descriptor = first; descriptor <= last; descriptor++)
        posix_spawn_file_actions_adddup2(&actions, ends[1], descriptor);
    error = posix_spawnp(pid, words[0], &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (error == 0)
        return ends[0];
    close(ends[0]);
    return -error;
}

/* Milliseconds until there is no more waiting. */
static int time_left(const struct timespec *begin)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int)(ANSWER_PATIENCE * 1000 - (now.tv_sec - begin->tv_sec) * 1000 -
                 (now.tv_nsec - begin->tv_nsec) / 1000000);
}

long answer_read(char *const *words, int first, int last, char *text, size_t room, bool *late)
{
    pid_t pid;
    int answer = start(words, first, last, &pid), left;
    struct pollfd wait = {.fd = answer, .events = POLLIN};
    struct timespec begin;
    size_t length = 0;
    ssize_t count = 1;

    if (answer < 0)
        return answer;

    clock_gettime(CLOCK_MONOTONIC, &begin);
    while (count > 0 && length < room && (left = time_left(&begin)) > 0 && poll(&wait, 1, left) > 0)
        if ((count = read(answer, text + length, room - length)) > 0)
            length += (size_t)count;
    *late = count > 0;
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    close(answer);
    return (long)length;
}
