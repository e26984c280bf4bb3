/* SPDX-License-Identifier: BSD-2-Clause */
/* See qemu.h. */
#include "outside/pitot/qemu.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OLDEST_MAJOR   6         /* the first version with everything that the plugin needs */
#define PROBE          9         /* descriptor of the pipe in QEMU; any free one */
#define HELP_MOST      (1 << 20) /* bytes; QEMU 10.0 prints 60,000 */
#define VERSION        "QEMU emulator version "
#define FIRST_CONFUSED 9 /* since this version, hits may have another CPU's number (seen in 10.0) */

#define NOT_DISTINGUISHED                                                                          \
    "all CPUs in one thread, which QEMU %u.%u does not distinguish for plugins; use -accel "       \
    "tcg,thread=multi or -smp 1"

bool qemu_is_option(const char *word, const char *name)
{
    if (word[0] != '-')
        return false;
    word += word[1] == '-' ? 2 : 1;
    return strcmp(word, name) == 0;
}

const char *qemu_kernel(char *const *command)
{
    for (char *const *word = command + 1; *word && word[1]; word++)
        if (qemu_is_option(*word, "kernel"))
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

        if (qemu_is_option(*word, "daemonize"))
            return refuse(why, EINVAL, "%s: pitot waits until QEMU exits; leave it out", *word);
        if (qemu_is_option(*word, "enable-kvm"))
            return refuse(why, EINVAL, "%s: plugins follow only emulated code; leave it out",
                          *word);
        if (word[1] && qemu_is_option(*word, "accel"))
            accelerators = word[1] + (strncmp(word[1], "accel=", 6) == 0 ? 6 : 0);
        if (word[1] && (qemu_is_option(*word, "machine") || qemu_is_option(*word, "M")) &&
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

bool qemu_has_several(char *const *command)
{
    bool several = false;

    for (char *const *word = command + 1; *word && word[1]; word++)
        several = several || (qemu_is_option(*word, "smp") && cpus_of(word[1]) > 1);
    return several;
}

/* The option that has all CPUs in one thread; NULL: each has its own. */
static const char *one_thread_option(char *const *command)
{
    const char *found = NULL;

    for (char *const *word = command + 1; *word && word[1]; word++)
        if (qemu_is_option(*word, "icount") ||
            (qemu_is_option(*word, "accel") && strstr(word[1], "thread=single")))
            found = *word;
    return found;
}

int qemu_check_threads(char *const *command, struct refusal *why)
{
    const char *one_thread = one_thread_option(command);

    if (!one_thread)
        return 0;
    if (qemu_has_several(command))
        return refuse(why, EINVAL,
                      "%s: all CPUs in one thread, where no two run at the same time; use -accel "
                      "tcg,thread=multi",
                      one_thread);
    if (qemu_is_option(one_thread, "icount"))
        return refuse(why, EINVAL,
                      "%s: time stops with the CPU, so nothing can happen while it is stopped; "
                      "leave it out",
                      one_thread);
    return 0;
}

int qemu_check_cpus(char *const *command, const struct qemu_version *version, struct refusal *why)
{
    const char *one_thread = one_thread_option(command);

    if (version->major < FIRST_CONFUSED || !qemu_has_several(command) || !one_thread)
        return 0;
    return refuse(why, EINVAL, "%s: " NOT_DISTINGUISHED, one_thread, version->major,
                  version->minor);
}

int qemu_refuse_one_thread(const struct qemu_version *version, struct refusal *why)
{
    return refuse(why, EINVAL, NOT_DISTINGUISHED, version->major, version->minor);
}

bool qemu_loads(char *program, const char *plugin)
{
    char machine[] = "-M", display[] = "-display", none[] = "none", option[] = "-plugin";
    char argument[PATH_MAX + 32];
    char *const words[] = {program, machine, none, display, none, option, argument, NULL};
    char loads;
    bool late;

    if (strchr(plugin, ','))
        return false;
    snprintf(argument, sizeof(argument), "file=%s,probe=%d", plugin, PROBE);
    return answer_read(words, PROBE, PROBE, &loads, sizeof(loads), &late) > 0;
}

/* QEMU's --help begins with the version, and lists -plugin if it is supported. */
int qemu_ask(char *program, struct qemu_version *version, struct refusal *why)
{
    static char text[HELP_MOST];
    char option[] = "--help", *const words[] = {program, option, NULL};
    bool late;
    long length = answer_read(words, STDOUT_FILENO, STDERR_FILENO, text, sizeof(text) - 1, &late);
    const char *at;

    if (length < 0)
        return refuse(why, (int)-length, "%s: %s", program, strerror((int)-length));
    text[length] = '\0';
    at = strstr(text, VERSION);
    if (length == 0 && late)
        return refuse(why, ETIMEDOUT, "%s does not answer --help: nothing in %d seconds", program,
                      ANSWER_PATIENCE);
    if (!at || sscanf(at, VERSION "%u.%u", &version->major, &version->minor) != 2)
        return refuse(why, EINVAL, "%s is not QEMU: --help shows no version", program);
    if (version->major < OLDEST_MAJOR)
        return refuse(why, EINVAL, "%s is QEMU %u.%u; %u.0 or later is needed", program,
                      version->major, version->minor, OLDEST_MAJOR);
    if (!strstr(text, "\n-plugin "))
        return refuse(why, EINVAL, "%s has no -plugin; configure QEMU with --enable-plugins",
                      program);
    return 0;
}
