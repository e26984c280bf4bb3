/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plugin: QEMU loads it with `-plugin FILE.so,request=FD`, the descriptor of what `pitot` wants
 * (outside/request.h). Nothing is followed or counted before the kernel runs.
 */
#include <assert.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "outside/plugin/blame.h"
#include "outside/plugin/code.h"
#include "outside/plugin/run.h"
#include "outside/plugin/tell.h"

#define TEXT(number)   QUOTED(number)
#define QUOTED(number) #number
#define SPINS_MOST     64 /* after that, the owner may not be running on the host */

enum { CONFUSES_CPUS = QEMU_API >= 2 };

PLUGIN_EXPORT int qemu_plugin_version = QEMU_API;
PLUGIN_EXPORT const char pitot_wire_version[] = WIRE_MARK TEXT(WIRE_VERSION);

/* --- The lock --- */

static atomic_flag taken = ATOMIC_FLAG_INIT;
static bool several;

void plugin_lock_begin(unsigned cpus)
{
    several = cpus > 1;
}

static bool take(void)
{
    return !atomic_flag_test_and_set_explicit(&taken, memory_order_acquire);
}

__attribute__((noinline)) static void wait(void)
{
    for (unsigned spins = 0; !take(); spins++)
        if (spins > SPINS_MOST)
            sched_yield();
}

void plugin_lock(void)
{
    if (several && !take())
        wait();
}

void plugin_unlock(void)
{
    if (several)
        atomic_flag_clear_explicit(&taken, memory_order_release);
}

/* --- The request --- */

/* Maps what `pitot` wants, for good. NULL: it is no request. */
static const struct request *map_request(int file)
{
    const struct request *request;
    struct stat status;

    if (fstat(file, &status) < 0 || (size_t)status.st_size < offsetof(struct request, out))
        return NULL;
    request = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (request == MAP_FAILED || memcmp(request->magic, REQUEST_MAGIC, sizeof(request->magic)) != 0)
        return NULL;
    assert(request->size == (size_t)status.st_size);
    return request;
}

/* Returns the request that the only argument names; NULL and a message: there is none. */
static const struct request *read_request(int argc, char **argv)
{
    const struct request *request = NULL;
    int file;

    if (argc == 1 && sscanf(argv[0], "request=%d", &file) == 1)
        request = map_request(file);
    if (!request) {
        fprintf(stderr, "pitot: QEMU's command must be started by pitot, with its plugin\n");
        return NULL;
    }
    if (request->version != WIRE_VERSION) {
        fprintf(stderr, "pitot: its plugin is of version %d, and pitot of %u: make outside\n",
                WIRE_VERSION, request->version);
        return NULL;
    }
    assert(request->size == sizeof(*request) + request->address_count * sizeof(uint64_t));
    return request;
}

/* --- QEMU's calls --- */

static bool confused; /* QEMU does not distinguish the CPUs */

static void on_translation(API_CALLED(struct qemu_plugin_tb *block))
{
    if (!__atomic_load_n(&confused, __ATOMIC_RELAXED))
        translate_block(block);
}

static void on_end(API_END)
{
    code_end();
    judges_end();
    run_end();
}

/*
 * If all CPUs run in one thread, QEMU from 9.0 passes the number of the CPU that has run code first
 * as a constant to its callbacks, and may multiply that by the size of a counter. CPUs begin before
 * code is translated.
 */
static void on_cpu(API_CALLED(unsigned cpu))
{
    static _Thread_local bool shared;

    if (shared && CONFUSES_CPUS) {
        plugin_lock();
        __atomic_store_n(&confused, true, __ATOMIC_RELAXED);
        tell_one_thread(cpu);
        plugin_unlock();
    }
    shared = true;
    clock_cpu(cpu);
}

static void on_idle(API_CALLED(unsigned cpu))
{
    run_idle(cpu);
}

/* True if `pitot` only checks whether the plugin can be loaded. */
static bool is_probe(int argc, char **argv)
{
    int fd;

    return argc == 1 && sscanf(argv[0], "probe=%d", &fd) == 1 && dprintf(fd, "1") == 1;
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    const struct request *request;
    const char *wrong;

    if (is_probe(argc, argv))
        return 1;
    request = read_request(argc, argv);
    if (!request)
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
    wrong = run_begin(id, request, (unsigned)info->system.max_vcpus);
    if (!wrong)
        wrong = judges_begin(id, request, info);
    if (wrong) {
        fprintf(stderr, "pitot: %s\n", wrong);
        return 1;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, API_PASS(on_translation));
    qemu_plugin_register_vcpu_init_cb(id, API_PASS(on_cpu));
    if (blame_watch())
        qemu_plugin_register_vcpu_idle_cb(id, API_PASS(on_idle));
    qemu_plugin_register_atexit_cb(id, on_end, NULL);
    return 0;
}
