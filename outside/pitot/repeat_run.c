/* SPDX-License-Identifier: BSD-2-Clause */
/* See repeat_run.h. */
#define _GNU_SOURCE
#include "outside/pitot/repeat_run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <regex.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SECOND  1000 /* milliseconds */
#define SETTLES 1000 /* ... without a byte, after which a console has said what it wanted to */
#define TALKS   5000 /* ... after which it is not waited for */

/* Shared with the process of the run. */
static struct answer {
    int error;
    bool idle; /* the kernel has not run */
    struct refusal why;
} * answer;

static regex_t pattern;
static long long silence, timeout; /* milliseconds */
static volatile sig_atomic_t asked;

static void take_signal(int signal)
{
    asked = signal;
}

static long long now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000ll + time.tv_nsec / 1000000;
}

int repeat_run_begin(const struct pitot_options *options, struct refusal *why)
{
    const struct sigaction action = {.sa_handler = take_signal};
    char text[128];
    int error = regcomp(&pattern, options->pattern, REG_EXTENDED | REG_ICASE | REG_NOSUB);

    if (error) {
        regerror(error, &pattern, text, sizeof(text));
        return refuse(why, EINVAL, "--pattern \"%s\": %s", options->pattern, text);
    }
    silence = (long long)options->silence * SECOND;
    timeout = (long long)options->timeout * SECOND;
    answer = mmap(NULL, sizeof(*answer), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (answer == MAP_FAILED)
        return refuse(why, errno, "%s", strerror(errno));
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    return 0;
}

bool repeat_run_is_asked(void)
{
    return asked;
}

/* The process of the run. If this command is killed, it ends, too. */
_Noreturn static void be_run(const struct command *command, struct watch *watch, int console,
                             FILE *words, pid_t parent)
{
    int nothing = open("/dev/null", O_RDONLY);

    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    if (prctl(PR_SET_PDEATHSIG, SIGTERM) == 0 && getppid() != parent)
        _exit(1);
    dup2(nothing, STDIN_FILENO);
    dup2(console, STDOUT_FILENO);
    dup2(fileno(words), STDERR_FILENO);
    close(console);
    answer->error = command_last(command, watch, &answer->why);
    answer->idle = !watch->begun || (watch->whole && !watch_ran(watch));
    fflush(stderr);
    _exit(watch->status);
}

/* --- The console --- */

/* What a run's console has said so far. */
struct console {
    int pipe;
    pid_t pid;
    bool ends; /* the run was told to */
    bool kept; /* the whole line that matches is */
    bool cut;  /* the line's first bytes are gone */
    size_t length;
    long long began, heard, said; /* when; said: what is looked for, 0: it was not */
};

/* `ends`: the line is whole. */
static void match(struct console *console, const struct repeat_run *run, bool ends)
{
    int flags = (ends ? 0 : REG_NOTEOL) | (console->cut ? REG_NOTBOL : 0);

    if (!console->said && regexec(&pattern, run->line, 0, NULL, flags) == 0)
        console->said = now();
}

/* The last bytes of a long line are kept, unless what is looked for is in it. */
static void add_byte(struct console *console, struct repeat_run *run, char byte)
{
    const size_t most = sizeof(run->line) - 1;

    if (console->length == most)
        match(console, run, false);
    if (console->length == most && !console->said) {
        console->length = most / 2;
        memmove(run->line, run->line + most - console->length, console->length);
        console->cut = true;
    }
    if (console->length < most)
        run->line[console->length++] = byte;
    run->line[console->length] = '\0';
}

/* Matches the line as far as it is there, at each piece of it. */
static void take_line(struct console *console, struct repeat_run *run, const char *bytes,
                      size_t count)
{
    for (size_t i = 0; i < count && !console->kept; i++) {
        bool ends = bytes[i] == '\n' || bytes[i] == '\r';

        if (!ends && bytes[i])
            add_byte(console, run, bytes[i]);
        if (ends || i + 1 == count)
            match(console, run, ends);
        if (!ends)
            continue;
        console->kept = console->said;
        if (console->kept)
            return;
        console->length = 0;
        console->cut = false;
        run->line[0] = '\0';
    }
}

/* Milliseconds for which the run may still go on, and what it is if they are over. */
static long long time_left(const struct console *console, enum repeat_outcome *outcome)
{
    long long quiet = console->heard + silence, last = console->began + timeout;

    if (console->said) {
        quiet = console->heard + SETTLES;
        last = console->said + TALKS;
    }
    *outcome = console->said ? REPEAT_SAID : quiet < last ? REPEAT_SILENT : REPEAT_RUNS_ON;
    return (quiet < last ? quiet : last) - now();
}

static void end_it(struct console *console)
{
    if (!console->ends)
        kill(console->pid, SIGTERM);
    console->ends = true;
}

/* Until the process of the run has closed its end. */
static void listen(struct console *console, struct repeat_run *run)
{
    char bytes[4096];

    run->outcome = REPEAT_ENDED;
    for (;;) {
        struct pollfd waits = {.fd = console->pipe, .events = POLLIN};
        enum repeat_outcome outcome = REPEAT_ENDED;
        long long left = console->ends ? -1 : time_left(console, &outcome);
        ssize_t count;

        if (asked)
            end_it(console);
        if (!console->ends && left <= 0) {
            run->outcome = outcome;
            end_it(console);
        }
        if (poll(&waits, 1, console->ends ? -1 : (int)left) <= 0)
            continue;
        count = read(console->pipe, bytes, sizeof(bytes));
        if (count == 0)
            break;
        if (count < 0)
            continue;
        console->heard = now();
        run->heard = true;
        fwrite(bytes, 1, (size_t)count, stdout);
        fflush(stdout);
        take_line(console, run, bytes, (size_t)count);
    }
    if (console->length > 0)
        match(console, run, true);
    if (console->said)
        run->outcome = REPEAT_SAID;
}

int repeat_run(const struct command *command, struct watch *watch, struct repeat_run *run,
               struct refusal *why)
{
    struct console console = {.began = now(), .heard = now()};
    pid_t self = getpid();
    int ends[2], status;

    *run = (struct repeat_run){.words = tmpfile()};
    answer->idle = false;
    if (!run->words || pipe2(ends, O_CLOEXEC) < 0)
        return refuse(why, errno, "%s", strerror(errno));
    console.pipe = ends[0];
    console.pid = fork();
    if (console.pid < 0)
        return refuse(why, errno, "%s", strerror(errno));
    if (console.pid == 0)
        be_run(command, watch, ends[1], run->words, self);
    close(ends[1]);
    listen(&console, run);
    close(console.pipe);
    while (waitpid(console.pid, &status, 0) < 0 && errno == EINTR)
        ;
    run->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    if (run->outcome == REPEAT_ENDED && answer->idle)
        run->outcome = REPEAT_IDLE;
    rewind(run->words);
    if (answer->error)
        *why = answer->why;
    return answer->error;
}
