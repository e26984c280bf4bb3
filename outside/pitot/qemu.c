/* SPDX-License-Identifier: BSD-2-Clause */
/* See qemu.h. */
#define _GNU_SOURCE
#include "outside/pitot/qemu.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define OLDEST_MAJOR   6 /* the first version with everything that the plugin needs */
#define PROBE          9 /* descriptor of the pipe in QEMU; any free one */
#define FIRST_CONFUSED 9 /* since this version, hits may have another CPU's number (seen in 10.0) */

extern char **environ;

/* True for this option, with one dash or two. */
static bool is_option(const char *word, const char *name)
{
    if (word[0] != '-')
        return false;
    word += word[1] == '-' ? 2 : 1;
    return strcmp(word, name) == 0;
}

const char *qemu_kernel(char *const *command)
{
    for (char *const *word = command + 1; *word && word[1]; word++)
        if (is_option(*word, "kernel"))
            return word[1];
    return NULL;
}

/*
 * True if tcg (emulation) is the only accelerator in this list of -machine or -accel, up to a
 * comma.
 */
static bool is_emulated(const char *accelerators)
{
    return strncmp(accelerators, "tcg", 3) == 0 &&
           !memchr(accelerators, ':', strcspn(accelerators, ","));
}

int qemu_check_arguments(char *const *command, struct refusal *why)
{
    for (char *const *word = command + 1; *word; word++) {
        const char *accelerators = NULL, *in_machine;

        if (is_option(*word, "daemonize"))
            return refuse(why, EINVAL, "%s: pitot waits until QEMU exits; leave it out", *word);
        if (is_option(*word, "enable-kvm"))
            return refuse(why, EINVAL, "%s: plugins follow only emulated code; leave it out",
                          *word);
        if (word[1] && is_option(*word, "accel"))
            accelerators = word[1] + (strncmp(word[1], "accel=", 6) == 0 ? 6 : 0);
        if (word[1] && (is_option(*word, "machine") || is_option(*word, "M")) &&
            (in_machine = strstr(word[1], "accel=")) != NULL)
            accelerators = in_machine + strlen("accel=");
        if (accelerators && !is_emulated(accelerators))
            return refuse(why, EINVAL,
                          "%s %s: plugins follow only emulated code; -accel tcg is supported",
                          word[0], word[1]);
    }
    return 0;
}

/* Returns the value of a term of -smp; 0: not given. */
static unsigned long smp_term(const char *smp, const char *name)
{
    size_t length = strlen(name);

    for (const char *term = smp; term; term = strchr(term, ',')) {
        term += *term == ',';
        if (strncmp(term, name, length) == 0 && term[length] == '=')
            return strtoul(term + length + 1, NULL, 10);
    }
    return 0;
}

/*
 * Returns the initial number of CPUs: the first number of -smp, or computed from its terms as QEMU
 * does.
 */
static unsigned long cpus_of(const char *smp)
{
    static const char *const levels[] = {"sockets", "dies", "modules", "cores", "threads"};
    unsigned long cpus = strtoul(smp, NULL, 10), product = 1;

    if (cpus == 0)
        cpus = smp_term(smp, "cpus");
    if (cpus == 0)
        cpus = smp_term(smp, "maxcpus");
    for (size_t i = 0; i < sizeof(levels) / sizeof(*levels); i++) {
        unsigned long count = smp_term(smp, levels[i]);
        product *= count ? count : 1;
    }
    return cpus ? cpus : product;
}

int qemu_check_cpus(char *const *command, const struct qemu_version *version, struct refusal *why)
{
    bool several = false;
    const char *one_thread = NULL;

    for (char *const *word = command + 1; *word && word[1]; word++) {
        several = several || (is_option(*word, "smp") && cpus_of(word[1]) > 1);
        if (is_option(*word, "icount") ||
            (is_option(*word, "accel") && strstr(word[1], "thread=single")))
            one_thread = *word;
    }
    if (version->major < FIRST_CONFUSED || !several || !one_thread)
        return 0;
    return refuse(why, EINVAL,
                  "%s: all CPUs in one thread, which QEMU %u.%u does not distinguish for plugins; "
                  "use -accel tcg,thread=multi or -smp 1",
                  one_thread, version->major, version->minor);
}

/*
 * Starts QEMU without input; its descriptors `first` to `last` write to a pipe. Returns the pipe's
 * other end, or NULL and an errno in *error.
 */
static FILE *start(char *const *words, int first, int last, pid_t *pid, int *error)
{
    posix_spawn_file_actions_t actions;
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) < 0) {
        *error = errno;
        return NULL;
    }
    posix_spawn_file_actions_init(&actions);
    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++)
        posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0);
    for (int descriptor = first; descriptor <= last; descriptor++)
        posix_spawn_file_actions_adddup2(&actions, ends[1], descriptor);
    *error = posix_spawnp(pid, words[0], &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (*error == 0)
        return fdopen(ends[0], "r");
    close(ends[0]);
    return NULL;
}

bool qemu_loads(char *program, const char *plugin)
{
    char machine[] = "-M", display[] = "-display", none[] = "none", option[] = "-plugin";
    char argument[PATH_MAX + 32];
    char *const words[] = {program, machine, none, display, none, option, argument, NULL};
    FILE *probe;
    bool loads;
    pid_t pid;
    int error;

    if (strchr(plugin, ','))
        return false;
    snprintf(argument, sizeof(argument), "file=%s,probe=%d", plugin, PROBE);
    probe = start(words, PROBE, PROBE, &pid, &error);
    if (!probe)
        return false;
    loads = fgetc(probe) != EOF;
    fclose(probe);
    waitpid(pid, NULL, 0);
    return loads;
}

/* QEMU's --help begins with the version, and lists -plugin if it is supported. */
int qemu_ask(char *program, struct qemu_version *version, struct refusal *why)
{
    char option[] = "--help", *const words[] = {program, option, NULL}, *line = NULL;
    bool plugins = false, is_qemu = false;
    size_t room = 0;
    pid_t pid;
    int error;
    FILE *help = start(words, STDOUT_FILENO, STDERR_FILENO, &pid, &error);

    if (!help)
        return refuse(why, error, "%s: %s", program, strerror(error));
    while (getline(&line, &room, help) >= 0) {
        is_qemu = is_qemu || sscanf(line, "QEMU emulator version %u.%u", &version->major,
                                    &version->minor) == 2;
        plugins = plugins || strncmp(line, "-plugin ", strlen("-plugin ")) == 0;
    }
    free(line);
    fclose(help);
    waitpid(pid, NULL, 0);
    if (!is_qemu)
        return refuse(why, EINVAL, "%s is not QEMU: --help shows no version", program);
    if (version->major < OLDEST_MAJOR)
        return refuse(why, EINVAL, "%s is QEMU %u.%u; %u.0 or later is needed", program,
                      version->major, version->minor, OLDEST_MAJOR);
    if (!plugins)
        return refuse(why, EINVAL, "%s has no -plugin; configure QEMU with --enable-plugins",
                      program);
    return 0;
}
