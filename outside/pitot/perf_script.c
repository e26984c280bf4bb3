/* SPDX-License-Identifier: BSD-2-Clause */
/* See show.h. */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "outside/pitot/array.h"
#include "outside/pitot/plain.h"
#include "outside/pitot/progress.h"
#include "outside/pitot/show.h"

#define OFFSET      "+0x"
#define WATCH_EVENT "mem:"

extern char **environ;

/* The sample whose lines are being read. */
static struct {
    struct profile_sample sample;
    bool any;
    char *head;       /* holds comm and event */
    char **functions; /* innermost first */
    size_t room;
    char *place;
    uint64_t count;
} now;

static void add_sample(struct profile *profile)
{
    if (!now.any)
        return;
    now.sample.functions = now.functions;
    now.sample.place = now.place;
    profile_add(profile, &now.sample);
    for (size_t i = 0; i < now.sample.depth; i++)
        free(now.functions[i]);
    free(now.place);
    free(now.head);
    now.place = now.head = NULL;
    now.any = false;
    progress_at(++now.count);
}

/* --- Lines --- */

/*
 * Ends the function's name at its offset, "name+0x12 (file)"; a name may have blanks and
 * parentheses, so that the first offset before a parenthesis counts. Without a name there is none:
 * "[unknown] (file)". Returns the place, "name+0x12", or NULL, and the name. Both are to be freed.
 */
static char *read_name(char *text, char **name)
{
    for (char *at = strstr(text, OFFSET); at; at = strstr(at + 1, OFFSET)) {
        char *end = at + strlen(OFFSET) + strspn(at + strlen(OFFSET), "0123456789abcdef");

        if (strncmp(end, " (", 2) != 0)
            continue;
        *name = strndup(text, (size_t)(at - text));
        return strndup(text, (size_t)(end - text));
    }
    text = strchr(text, '(');
    if (text)
        text[strcspn(text, ")")] = '\0';
    if (!text || asprintf(name, text[1] == '[' ? "%s" : "[%s]", text + 1) < 0)
        *name = strdup("[unknown]");
    return NULL;
}

/* A line of a chain, or the end of a sample's line without one: address, name, file. */
static int read_function(char *text, struct refusal *why)
{
    char *place;
    int error = array_grow(&now.functions, &now.room, now.sample.depth + 1, sizeof(*now.functions),
                           "functions", why);

    text += strspn(text, " \t");
    if (error || !isxdigit((unsigned char)*text))
        return error;
    text += strspn(text, "0123456789abcdef");
    text += strspn(text, " ");
    place = read_name(text, &now.functions[now.sample.depth]);
    if (now.sample.depth++ == 0 && strncmp(now.sample.event, WATCH_EVENT, strlen(WATCH_EVENT)) == 0)
        now.place = place ? place : strdup(now.functions[0]);
    else
        free(place);
    return 0;
}

/* Returns the end of the decimal number at *at, which must follow and precede a blank; or NULL. */
static char *read_number(char *at, uint64_t *number)
{
    char *end;

    if (!isdigit((unsigned char)*at))
        return NULL;
    errno = 0;
    *number = strtoull(at, &end, 10);
    return errno || *end != ' ' ? NULL : end + strspn(end, " ");
}

/*
 * Returns the colon that ends the event's name, which has colons and, of C++ and Rust, blanks:
 * after it the line ends, or an address follows. NULL: there is none.
 */
static char *find_event_end(char *event)
{
    for (char *at = strchr(event, ':'); at; at = strchr(at + 1, ':')) {
        char *rest = at + 1 + strspn(at + 1, " ");
        char *after = rest + strspn(rest, "0123456789abcdef");

        if (strspn(rest, "\n") == strlen(rest) || (rest > at + 1 && after > rest && *after == ' '))
            return at;
    }
    return NULL;
}

/*
 * "comm tid period event: ..."; the comm may have blanks, and the tid is -1 if the thread is not
 * known. Returns what follows the event, or NULL if the line is no head.
 */
static char *read_head(char *line)
{
    uint64_t tid, weight;
    char *comm = line + strspn(line, " ");

    for (char *at = comm; (at = strchr(at, ' ')) != NULL; at += strspn(at, " ")) {
        char *number = at + strspn(at, " "), *event, *end;
        bool negative = *number == '-';

        number = read_number(number + negative, &tid);
        event = number ? read_number(number, &weight) : NULL;
        end = event ? find_event_end(event) : NULL;
        if (!end || end == event)
            continue;
        *at = *end = '\0';
        now.sample = (struct profile_sample){.comm = comm,
                                             .event = event,
                                             .tid = negative ? -(int32_t)tid : (int32_t)tid,
                                             .weight = weight};
        return end + 1;
    }
    return NULL;
}

/* "# event : name = NAME, , id = { 1 }, ..." */
static void read_listed(const char *line, struct profile *profile)
{
    static const char before[] = "# event : name = ";
    const char *name = line + strlen(before), *end = NULL;

    if (strncmp(line, before, strlen(before)) != 0)
        return;
    for (const char *at = strstr(name, ", id = {"); at; at = strstr(at + 1, ", id = {"))
        end = at;
    while (end && end > name && strchr(", ", end[-1]))
        end--;
    if (end)
        interned_number(&profile->listed, name, (size_t)(end - name));
}

static int read_line(char *line, void *to, struct refusal *why)
{
    struct profile *profile = to;
    char *copy, *rest;

    if (*line == '#' && !now.any && now.count == 0) {
        read_listed(line, profile);
        return 0;
    }
    if (*line == '\t') {
        char *text = strdup(line);
        int error = text && now.any ? read_function(text, why) : 0;

        free(text);
        return error;
    }
    add_sample(profile);
    if (strspn(line, " \n") == strlen(line))
        return 0;
    copy = strdup(line);
    rest = copy ? read_head(copy) : NULL;
    if (!rest) {
        free(copy);
        return refuse(why, EINVAL, "unexpected line of perf script, not a sample: %.60s", line);
    }
    now.head = copy;
    now.any = true;
    return read_function(rest, why);
}

/* --- The program --- */

/*
 * Starts perf with the recording on its input, if it is a stream, and returns its output.
 * `complaints`: where they go; NULL: to the user. --force: also if the file is another user's, as
 * root in a container has them.
 */
static int start(const struct perf_script *script, FILE *complaints, pid_t *pid)
{
    char *kallsyms = NULL;
    const char *words[] = {"perf",        "--no-pager", "script",
                           "--force",     "-i",         script->streams ? "-" : script->file,
                           "--no-inline", "--ns",       "--max-stack",
                           "65535",       "-F",         script->fields,
                           NULL,          NULL,         NULL,
                           NULL};
    size_t count = sizeof(words) / sizeof(*words) - 4;
    posix_spawn_file_actions_t actions;
    int ends[2], error;

    if (pipe2(ends, O_CLOEXEC) < 0)
        return -errno;
    if (script->head)
        words[count++] = "--header";
    if (script->list && asprintf(&kallsyms, script->guest ? "--guestkallsyms=%s" : "--kallsyms=%s",
                                 script->list) > 0)
        words[count++] = kallsyms;
    if (script->lost)
        words[count++] = "--show-lost-events";
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO,
                                     script->streams ? script->file : "/dev/null", O_RDONLY, 0);
    if (complaints)
        posix_spawn_file_actions_adddup2(&actions, fileno(complaints), STDERR_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    error = posix_spawnp(pid, words[0], &actions, NULL, (char **)words, environ);
    posix_spawn_file_actions_destroy(&actions);
    free(kallsyms);
    close(ends[1]);
    if (!error)
        return ends[0];
    close(ends[0]);
    return -error;
}

/* Of the complaints that are not shown, one is of what the user cannot see otherwise. */
static void tell_truncated(const char *path, FILE *complaints)
{
    char *text = NULL;
    size_t room = 0;

    rewind(complaints);
    while (getline(&text, &room, complaints) > 0)
        if (strstr(text, "unexpected end of event stream"))
            plain_tell("pitot: %s is truncated: its end is missing", path);
    free(text);
}

int perf_script_lines(const struct perf_script *script,
                      int (*line)(char *text, void *to, struct refusal *why), void *to,
                      struct refusal *why)
{
    pid_t pid;
    FILE *complaints = script->quiet ? tmpfile() : NULL;
    int status, error = 0, output = start(script, complaints, &pid);
    char *text = NULL;
    size_t room = 0;
    FILE *lines;

    if (output == -ENOENT)
        return refuse(why, ENOENT,
                      "perf is missing, which reads recordings: the package linux-perf on Debian, "
                      "linux-tools-generic on Ubuntu, perf on Fedora and Arch");
    if (output < 0)
        return refuse(why, -output, "perf: %s", strerror(-output));
    lines = fdopen(output, "r");
    progress_begin("reads the recording", 0, "samples");
    while (!error && getline(&text, &room, lines) > 0)
        error = line(text, to, why);
    free(text);
    progress_end();
    fclose(lines);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (complaints) {
        tell_truncated(script->file, complaints);
        fclose(complaints);
    }
    if (!error && status != 0)
        return refuse(why, EINVAL, "%s: perf script does not read it%s", script->file,
                      WIFEXITED(status) ? "" : "; a signal ended it");
    return error;
}

int perf_script_read(const char *file, const struct show_input *input, const char *list,
                     struct profile *profile, struct refusal *why)
{
    const struct perf_script script = {.file = file,
                                       .streams = input->streams,
                                       .guest = input->guest,
                                       .list = list,
                                       .head = true,
                                       .fields = "comm,tid,period,event,ip,sym,symoff,dso"};
    int error = perf_script_lines(&script, read_line, profile, why);

    if (!error)
        add_sample(profile);
    return error;
}
