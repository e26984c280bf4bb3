/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plugin: QEMU loads it, `pitot` writes its arguments (outside/pitot/).
 *
 *     -plugin FILE.so,out=FD,[text=FIRST:LAST,][code=...,][chains=0,][registers=1,][graph=1,]
 *         [last=N,]event=...,stop=...
 *
 * events.h describes events and `stop`; code.h text and code; window.h, blame.h, heap.h and cover.h
 * more arguments. registers: samples include registers (registers.h); graph: also reports costs
 * (graph.h); last: keeps the last calls (last.h). Nothing is followed or counted before the kernel
 * runs.
 */
#include <stdio.h>
#include <string.h>

#include "outside/plugin/api.h"
#include "outside/plugin/blame.h"
#include "outside/plugin/code.h"
#include "outside/plugin/cover.h"
#include "outside/plugin/events.h"
#include "outside/plugin/heap.h"
#include "outside/plugin/run.h"
#include "outside/plugin/tell.h"
#include "outside/plugin/translate.h"
#include "outside/plugin/window.h"

PLUGIN_EXPORT int qemu_plugin_version = QEMU_API;
PLUGIN_EXPORT const char pitot_wire_version[] = WIRE_MARK WIRE_TEXT(WIRE_VERSION);

static bool refuse(const char *argument, const char *want)
{
    fprintf(stderr, "pitot: the plugin does not take %s; it takes %s\n", argument, want);
    return false;
}

static bool take(const char *argument, const char *wrong)
{
    return !wrong || refuse(argument, wrong);
}

static bool take_argument(const char *argument, int *fd)
{
    const char *wrong;

    if (sscanf(argument, "out=%d", fd) == 1)
        return true;
    if (strncmp(argument, "text=", 5) == 0 || strncmp(argument, "code=", 5) == 0)
        return code_add(argument) || refuse(argument, "text and code as in code.h");
    if (strncmp(argument, "chains=", 7) == 0) {
        run.chains = strcmp(argument + 7, "0") != 0;
        return true;
    }
    if (strncmp(argument, "graph=", 6) == 0) {
        run.graph = strcmp(argument + 6, "0") != 0;
        return true;
    }
    if (strcmp(argument, "registers=1") == 0) {
        run.registers = true;
        return true;
    }
    if (sscanf(argument, "last=%u", &run.last) == 1)
        return true;
    if (facts_argument(argument) || window_add(argument))
        return true;
    if (strncmp(argument, "event=", 6) == 0 || strncmp(argument, "stop=", 5) == 0)
        return take(argument, events_add(strchr(argument, '=') + 1, *argument == 's'));
    if (strncmp(argument, "cover=", 6) == 0)
        return take(argument, cover_begin(argument + 6));
    if (heap_argument(argument, &wrong))
        return take(argument, QEMU_API < 4 ? "QEMU 9.2" : wrong);
    if (blame_argument(argument, &wrong))
        return take(argument, wrong);
    return refuse(argument, "what code.h, events.h, window.h, heap.h and blame.h say");
}

static void end(void)
{
    code_end();
    run_end();
}

#if QEMU_API >= 7
static void on_translation(struct qemu_plugin_tb *block, void *own)
{
    (void)own;
    translate_block(block);
}

static void on_end(void *own)
{
    (void)own;
    end();
}

static void be_called(qemu_plugin_id_t id)
{
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation, NULL);
    qemu_plugin_register_atexit_cb(id, on_end, NULL);
}
#else
static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *block)
{
    (void)id;
    translate_block(block);
}

static void on_end(qemu_plugin_id_t id, void *own)
{
    (void)id;
    (void)own;
    end();
}

static void be_called(qemu_plugin_id_t id)
{
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
    qemu_plugin_register_atexit_cb(id, on_end, NULL);
}
#endif

/* True if `pitot` only checks whether the plugin can be loaded. */
static bool is_probe(int argc, char **argv)
{
    int fd;

    return argc == 1 && sscanf(argv[0], "probe=%d", &fd) == 1 && dprintf(fd, "1") == 1;
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    const char *wrong;
    int fd = -1;

    if (is_probe(argc, argv))
        return 1;
    for (int i = 0; i < argc; i++)
        if (!take_argument(argv[i], &fd))
            return 1;
    if (!info->system_emulation || strcmp(info->target_name, "x86_64") != 0) {
        fprintf(stderr, "pitot: qemu-system-x86_64 is needed, not %s\n", info->target_name);
        return 1;
    }
    if (info->system.max_vcpus > FOLLOW_CPUS) {
        fprintf(stderr, "pitot: a machine of up to %d CPUs; %d are allowed\n",
                info->system.max_vcpus, FOLLOW_CPUS);
        return 1;
    }
    wrong = facts_begin(id);
    if (wrong) {
        fprintf(stderr, "pitot: %s\n", wrong);
        return 1;
    }
    if (!run_begin((unsigned)info->system.max_vcpus) || !clock_begin(id) ||
        !tell_begin(fd, (unsigned)info->system.max_vcpus, run.registers)) {
        fprintf(stderr, "pitot: out of memory, or the pipe to pitot is closed\n");
        return 1;
    }
    be_called(id);
    return 0;
}
