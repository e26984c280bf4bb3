/* SPDX-License-Identifier: BSD-2-Clause */
/* What pitot_init does in another kernel (core/contract/init.h). Boot, task context. */
#include "core/contract/init.h"

#include "arch/cpu.h"
#include "arch/embed.h"
#include "arch/memory.h"
#include "arch/watch.h"
#include "core/embed/embed.h"
#include "core/event/source_branches.h"
#include "core/event/source_clock.h"
#include "core/host.h"
#include "core/lib/assert.h"
#include "core/lib/print.h"
#include "core/symbols/symbols.h"

bool embed_tables;

static struct refusal reason; /* the last reason returned to the kernel */

_Noreturn void assert_failed(const char *claim, const char *file, int line)
{
    char text[120];

    print_into(text, sizeof(text), "Pitot: %s:%d: %s", file, line, claim);
    host_panic(text);
}

static void write_stream(struct sink *sink, const char *bytes, size_t length)
{
    (void)sink;
    host.write(bytes, length);
}

/*
 * perf compares the address of one symbol with that in the ELF file. This is pitot_init, because
 * the text's first byte may have no symbol.
 */
static void begin_stream(void)
{
    static struct sink sink = {write_stream};
    static struct stream_kernel described;

    described = (struct stream_kernel){.arch = ARCH_NAME,
                                       .build_id = arch_embed_build_id(),
                                       .text = arch_text_start(),
                                       .text_size = arch_text_end() - arch_text_start(),
                                       .known = "pitot_init",
                                       .known_at = (uintptr_t)pitot_init};
    embed_stream_open(&sink, &described);
}

/* Returns what is wrong with the tables, or NULL. Without tables, chains use frame pointers. */
static const char *open_tables(void)
{
    struct refusal none;

    embed_tables = arch_embed_has_tables();
    if (!embed_tables) {
        unwind_init(&none);
        return NULL;
    }
    if (symbols_init(arch_build_id(), ARCH_BUILD_ID_SIZE, &reason) || unwind_init(&reason))
        return reason.text;
    return arch_accessor_init();
}

/* Of cfi_call_trap (cfi_gas.inc); a kernel may have none. */
extern const void *const __start_pitot_traps[] __attribute__((weak));
extern const void *const __stop_pitot_traps[] __attribute__((weak));

/* In an object for more CPUs. */
static unsigned only_cpu(void)
{
    return 0;
}

const char *init_missing(const struct pitot_kernel *kernel)
{
    unsigned cpus = ARCH_CPUS_MAX > 1 && kernel->cpus ? kernel->cpus : ARCH_CPUS_MAX;

    if (!kernel->write && !kernel->write_port)
        return "write and write_port of struct pitot_kernel are 0";
    if (EMBED_ASKS_MEMBERS && cpus > 1 && !kernel->cpu)
        return "more than one CPU: cpu of struct pitot_kernel is 0";
    if (cpus > 1 && !kernel->interrupt_others)
        return "more than one CPU: interrupt_others of struct pitot_kernel is 0";
    if (kernel->trap_count && !kernel->traps)
        return "traps of struct pitot_kernel is 0, and trap_count is not";
    if (kernel->trap_count && !kernel->frame)
        return "traps: " EMBED_NO_FRAME;
    if ((uintptr_t)kernel->programs >= (uintptr_t)kernel->programs_end && kernel->programs)
        return "programs of struct pitot_kernel is not below programs_end";
    if ((uintptr_t)kernel->programs_end > (uintptr_t)kernel->text)
        return "programs_end of struct pitot_kernel is above the kernel's code";
    return NULL;
}

/* What the kernel leaves to Pitot. Returns why that cannot be, or NULL. */
static const char *give_rest(void)
{
    if (!host.traps && host.frame) {
        host.traps = __start_pitot_traps;
        host.trap_count =
            (unsigned)(((uintptr_t)__stop_pitot_traps - (uintptr_t)__start_pitot_traps) /
                       sizeof(*__start_pitot_traps));
    }
    embed_check_begin();
    embed_console_give();
    if (!host.cpu)
        host.cpu = only_cpu;
    if (!host.task_name)
        host.task_name = embed_task_name;
    return arch_embed_give();
}

const struct regs *init_regs(const void *frame, struct regs *room)
{
    *room = arch_embed_regs(frame);
    return room;
}

const char *init_parts(void)
{
    const char *wrong;

    wrong = give_rest();
    if (!wrong)
        wrong = arch_embed_frame_init();
    if (wrong)
        return wrong;
    if (embed_tracepoints_init(&reason) != 0)
        return reason.text;
    wrong = open_tables();
    if (wrong)
        return wrong;
    branches_step_programs();
    arch_embed_init(); /* until now pitot_debug_trap does nothing */
    nmi_clock_missing("the kernel's timer is an interrupt");
    if (host.name || !embed_thread_name(0))
        pitot_thread_named(0, host.name ? host.name : "kernel");
    begin_stream();
    return NULL;
}
