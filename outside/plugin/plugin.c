/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plugin: QEMU loads it, `pitot` writes its arguments (outside/pitot/). It watches what each
 * block does when QEMU translates it, and has itself called where something has to be followed or
 * counted.
 *
 *     -plugin FILE.so,out=FD,[text=FIRST:LAST,][code=...,][chains=0,][graph=1,]event=...,stop=...
 *
 * events.h has the events, of which `stop` is one; code.h has text and code, window.h and writers.h
 * more arguments. graph: costs are told, too (graph.h). Nothing is followed or counted before the
 * kernel runs.
 *
 * Runs in QEMU's threads, one for each CPU with thread=multi: then each callback holds one lock.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "outside/plugin/api.h"
#include "outside/plugin/blame.h"
#include "outside/plugin/code.h"
#include "outside/plugin/entry.h"
#include "outside/plugin/events.h"
#include "outside/plugin/follow.h"
#include "outside/plugin/graph.h"
#include "outside/plugin/tell.h"
#include "outside/plugin/window.h"

PLUGIN_EXPORT int qemu_plugin_version = QEMU_API;

static struct cpu {
    uint64_t time; /* instructions, counted at the beginning of each block */
    uint64_t due;  /* when instructions are sampled next */
    const struct block *last;
    bool called; /* the call that ends `last` has been made */
} cpus[FOLLOW_CPUS];

static struct wire_end totals;
static bool begun, chains = true, graph, several;
static bool returns; /* an event is of them */
static atomic_flag lock = ATOMIC_FLAG_INIT;

static void enter(void)
{
    while (several && atomic_flag_test_and_set_explicit(&lock, memory_order_acquire))
        ;
}

static void leave(void)
{
    if (several)
        atomic_flag_clear_explicit(&lock, memory_order_release);
}

/* --- While the machine runs. --- */

/* An interrupt or exception has come, and its handler begins at `start`. */
static void interrupt(unsigned cpu, uint64_t site, uint64_t start)
{
    totals.interrupts += window_open();
    follow_interrupt(cpu, site);
    events_on_interrupt(cpu, cpus[cpu].time, start);
}

/* What the last instruction of the block has done, as code continues at `start`. */
static void follow_last(unsigned cpu, const struct block *last, uint64_t start)
{
    switch (last->ends) {
    case DECODED_RETURN:
        totals.unmatched += !follow_return(cpu, start);
        if (returns)
            events_on_return(cpu, cpus[cpu].time, last->last, follow_returned(cpu));
        break;
    case DECODED_SYSCALL:
    case DECODED_SYSRET:
        follow_border(cpu);
        break;
    case DECODED_INTERRUPTS:
        interrupt(cpu, last->last, start);
        break;
    case DECODED_INTERRUPT_RETURN:
        follow_interrupt_return(cpu);
        break;
    default:
        break;
    }
}

/* An interrupt has come; the last block has come to its end, or has trapped. */
static void follow_entry(unsigned cpu, const struct block *last, uint64_t next, uint64_t start)
{
    uint64_t site = entry_site(last, cpus[cpu].called);

    if (last->ends == DECODED_INTERRUPT_RETURN) /* nothing has run since the one that it ends */
        site = follow_interrupt_site(cpu);
    else if (next)
        site = next;
    if (last->ends != DECODED_RETURN || next)
        follow_last(cpu, last, next);
    interrupt(cpu, site ? site : last->last, start);
}

__attribute__((noinline)) static void follow_end(unsigned cpu, const struct block *last,
                                                 uint64_t start)
{
    uint64_t next = last->ends == DECODED_RETURN ? follow_next(cpu) : 0;

    if (entry_came(last, start, next))
        follow_entry(cpu, last, next, start);
    else if (start < last->start || start >= last->end) /* else it has not come to its end */
        follow_last(cpu, last, start);
}

/* Most blocks continue where the last one leads, which is no call's end. */
static bool block_continues(const struct block *last, uint64_t start)
{
    return last->plain && (start == last->end || start == last->target);
}

/* It may begin at `start`; else that is where one continues. */
static void function_begins(const struct cpu *here, unsigned cpu, uint64_t start)
{
    bool called = follow_begin(cpu, start);

    if (graph)
        graph_continue(cpu, called, here->time);
}

/* Out of line: most blocks need none of it. */
__attribute__((noinline)) static void block_differs(struct cpu *here, unsigned cpu,
                                                    const struct block *block)
{
    const struct block *last = here->last;
    bool continues = last && block_continues(last, block->start);

    here->last = block;
    if (returns)
        follow_time(cpu, here->time);
    if (chains && last && !continues)
        follow_end(cpu, last, block->start);
    if ((graph || returns) && (here->called || !continues))
        function_begins(here, cpu, block->start);
    here->called = false;
    here->time += block->count;
    if (here->time >= here->due)
        here->due = events_on_instructions(cpu, here->time, block->start);
}

static void block_begins(struct cpu *here, unsigned cpu, const struct block *block)
{
    const struct block *last = here->last;

    if (__builtin_expect(!last || here->called || here->time + block->count >= here->due, 0) ||
        (chains && !block_continues(last, block->start))) {
        block_differs(here, cpu, block);
        return;
    }
    here->last = block;
    here->time += block->count;
}

/* Out of line, as it is needed by every block only if there are several CPUs. */
__attribute__((noinline)) static void on_block_first(unsigned cpu, const struct block *block)
{
    enter();
    if (!begun)
        begun = block->kernel;
    if (begun)
        block_begins(&cpus[cpu], cpu, block);
    leave();
}

static void on_block(unsigned cpu, void *own)
{
    if (__builtin_expect(several || !begun, 0))
        on_block_first(cpu, own);
    else
        block_begins(&cpus[0], 0, own);
}

static uint64_t site_of(const void *own)
{
    return (uintptr_t)own;
}

/*
 * QEMU 7.2 may call this again for what the CPU itself stores afterwards, the frame of an
 * interrupt. A call is the last instruction of its block, and stores once.
 */
static void on_call_stored(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t place, void *own)
{
    enter();
    if (begun && cpus[cpu].last && qemu_plugin_mem_is_store(info) &&
        cpus[cpu].last->last == site_of(own) && !cpus[cpu].called) {
        const struct block *block = cpus[cpu].last;

        totals.calls += window_open();
        cpus[cpu].called = true;
        follow_call(cpu, place, site_of(own), (unsigned)(block->end - site_of(own)));
    }
    leave();
}

static void on_load(unsigned cpu, void *own)
{
    (void)own;
    enter();
    if (begun) {
        if (returns)
            follow_time(cpu, cpus[cpu].time);
        follow_load(cpu);
    }
    leave();
}

static void on_place(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t place, void *own)
{
    (void)info;
    (void)own;
    enter();
    if (begun)
        follow_place(cpu, place);
    leave();
}

/* All of them on all CPUs, but for the block that has just begun on this one. */
static uint64_t instructions_before(unsigned cpu, uint64_t ip)
{
    const struct block *block = cpus[cpu].last;
    uint64_t sum = 0;

    for (unsigned i = 0; i < FOLLOW_CPUS; i++)
        sum += cpus[i].time;
    return block && block->start == ip ? sum - block->count : sum;
}

static void end_if_stopped(unsigned cpu, uint64_t ip)
{
    if (__builtin_expect(events_stopped(), 0))
        window_end(instructions_before(cpu, ip));
}

static void on_access(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void *own)
{
    enter();
    if (begun) {
        events_on_access(cpu, cpus[cpu].time, site_of(own), address,
                         1u << qemu_plugin_mem_size_shift(info),
                         qemu_plugin_mem_is_store(info) ? WIRE_WRITE : WIRE_READ);
        end_if_stopped(cpu, site_of(own));
    }
    leave();
}

/* In QEMU 7.2 a read-modify-write comes as a read, too, even where writes alone are asked for. */
static void on_store(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void *own)
{
    if (!qemu_plugin_mem_is_store(info))
        return;
    enter();
    if (begun)
        blame_on_store(cpu, cpus[cpu].time, site_of(own), address,
                       1u << qemu_plugin_mem_size_shift(info));
    leave();
}

static void on_function(unsigned cpu, void *own)
{
    enter();
    if (begun) {
        events_on_call(cpu, cpus[cpu].time, site_of(own));
        end_if_stopped(cpu, site_of(own));
    }
    leave();
}

static void on_border(unsigned cpu, void *own)
{
    enter();
    if (begun)
        window_cross(site_of(own), instructions_before(cpu, site_of(own)));
    leave();
}

/* --- When a block is translated. --- */

static size_t copy_bytes(const struct qemu_plugin_insn *instruction, uint8_t *bytes)
{
    size_t size = qemu_plugin_insn_size(instruction);

    if (size > CODE_INSTRUCTION_MOST)
        size = CODE_INSTRUCTION_MOST;
#if QEMU_API >= 3
    return qemu_plugin_insn_data(instruction, bytes, size);
#else
    memcpy(bytes, qemu_plugin_insn_data(instruction), size);
    return size;
#endif
}

/* The rest of its bytes are zeros. */
static void copy_block(const struct qemu_plugin_tb *translated, struct code_block *code)
{
    size_t count = qemu_plugin_tb_n_insns(translated);

    memset(code, 0, sizeof(*code));
    for (; code->count < count && code->count < CODE_BLOCK_MOST; code->count++) {
        const struct qemu_plugin_insn *instruction =
            qemu_plugin_tb_get_insn(translated, code->count);

        if (code->count == 0)
            code->start = qemu_plugin_insn_vaddr(instruction);
        code->sizes[code->count] = (uint8_t)copy_bytes(instruction, code->bytes + code->size);
        code->size += code->sizes[code->count];
    }
}

void code_slid(uint64_t by)
{
    events_slide(by);
    window_slide(by);
    blame_slide(by);
}

/* `slide`: how far it lies above its address in the kernel's file. */
static void watch_instruction(struct qemu_plugin_insn *instruction, enum decoded decoded,
                              bool loaded, uint64_t slide)
{
    uint64_t ip = qemu_plugin_insn_vaddr(instruction);
    void *own = (void *)(uintptr_t)ip;

    /* First: a call's own store belongs to the caller. */
    if (blame_watch())
        qemu_plugin_register_vcpu_mem_cb(instruction, on_store, QEMU_PLUGIN_CB_NO_REGS,
                                         QEMU_PLUGIN_MEM_W, own);
    if (chains && (decoded == DECODED_CALL || decoded == DECODED_CALL_FAR))
        qemu_plugin_register_vcpu_mem_cb(instruction, on_call_stored, QEMU_PLUGIN_CB_NO_REGS,
                                         QEMU_PLUGIN_MEM_W, own);
    if (chains && decoded == DECODED_LOADS)
        qemu_plugin_register_vcpu_insn_exec_cb(instruction, on_load, QEMU_PLUGIN_CB_NO_REGS, NULL);
    if (chains && (decoded == DECODED_PUSH || decoded == DECODED_POP) && loaded)
        qemu_plugin_register_vcpu_mem_cb(instruction, on_place, QEMU_PLUGIN_CB_NO_REGS,
                                         QEMU_PLUGIN_MEM_RW, NULL);
    if (window_border(ip)) /* first, as a hit there is within or not */
        qemu_plugin_register_vcpu_insn_exec_cb(instruction, on_border, QEMU_PLUGIN_CB_NO_REGS, own);
    if (events_call(ip - slide))
        qemu_plugin_register_vcpu_insn_exec_cb(instruction, on_function, QEMU_PLUGIN_CB_NO_REGS,
                                               own);
    if (events_watch())
        qemu_plugin_register_vcpu_mem_cb(instruction, on_access, QEMU_PLUGIN_CB_NO_REGS,
                                         QEMU_PLUGIN_MEM_RW, own);
}

/* QEMU keeps `block` as long as it runs, and translates code anew at times: a few megabytes. */
static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *translated)
{
    struct code_block code;
    struct block *block = calloc(1, sizeof(*block));
    const uint8_t *bytes = code.bytes;
    bool loaded = false;
    uint64_t slide;

    (void)id;
    copy_block(translated, &code);
    if (!block || code.count == 0) {
        free(block);
        return;
    }
    enter();
    block->kernel = code_check(&code, &slide);
    leave();
    block->count = (uint32_t)code.count;
    block->start = code.start;
    qemu_plugin_register_vcpu_tb_exec_cb(translated, on_block, QEMU_PLUGIN_CB_NO_REGS, block);
    for (size_t i = 0; i < code.count; bytes += code.sizes[i++]) {
        struct qemu_plugin_insn *instruction = qemu_plugin_tb_get_insn(translated, i);

        block->last = qemu_plugin_insn_vaddr(instruction);
        block->end = block->last + code.sizes[i];
        block->ends = decode(bytes, code.sizes[i], block->last, &block->target);
        watch_instruction(instruction, block->ends, loaded, slide);
        loaded |= block->ends == DECODED_LOADS;
        block->pushes |= block->ends == DECODED_PUSH;
    }
    block->plain = entry_is_plain(block);
}

static void on_end(qemu_plugin_id_t id, void *own)
{
    (void)id;
    (void)own;
    enter();
    for (unsigned cpu = 0; cpu < FOLLOW_CPUS; cpu++) {
        totals.instructions += cpus[cpu].time;
        if (cpus[cpu].time)
            tell_clock(cpu, cpus[cpu].time);
        if (graph)
            graph_end(cpu, cpus[cpu].time);
    }
    code_end();
    blame_tell();
    totals.within = window_instructions(totals.instructions);
    events_tell(totals.within);
    totals.samples_left_out = window_left_out();
    if (graph)
        graph_tell();
    tell_end(&totals);
    leave();
}

/* --- Installation. --- */

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
        chains = strcmp(argument + 7, "0") != 0;
        return true;
    }
    if (strncmp(argument, "graph=", 6) == 0) {
        graph = strcmp(argument + 6, "0") != 0;
        return true;
    }
    if (window_add(argument))
        return true;
    if (strncmp(argument, "event=", 6) == 0 || strncmp(argument, "stop=", 5) == 0)
        return take(argument, events_add(strchr(argument, '=') + 1, *argument == 's'));
    if (blame_argument(argument, &wrong))
        return take(argument, wrong);
    return refuse(argument, "what code.h, events.h, window.h and blame.h say");
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    int fd = -1;

    for (int i = 0; i < argc; i++)
        if (!take_argument(argv[i], &fd))
            return 1;
    if (!info->system_emulation || strcmp(info->target_name, "x86_64") != 0) {
        fprintf(stderr, "pitot: qemu-system-x86_64 is wanted, not %s\n", info->target_name);
        return 1;
    }
    if (info->system.max_vcpus > FOLLOW_CPUS) {
        fprintf(stderr, "pitot: a machine of up to %d CPUs; %d are possible\n",
                info->system.max_vcpus, FOLLOW_CPUS);
        return 1;
    }
    several = info->system.max_vcpus > 1;
    returns = events_returns();
    if (!follow_init() || (graph && !graph_init()) ||
        !tell_begin(fd, (unsigned)info->system.max_vcpus)) {
        fprintf(stderr, "pitot: no memory, or nobody reads what the plugin writes\n");
        return 1;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
    qemu_plugin_register_atexit_cb(id, on_end, NULL);
    return 0;
}
