/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A foreign kernel, as small as possible: its own startup code and printing, with Pitot's events,
 * unwinder, ring and stream taken from core/ and arch/. It watches a variable and a tracepoint of
 * its own under a small load, and streams the hits. Entered once by entry.asm; one CPU, no
 * interrupts.
 */
#include "arch/x86_64/cpu/port.h"
#include "arch/memory.h"
#include "core/event/event.h"
#include "core/lib/assert.h"
#include "core/sample/sample.h"
#include "core/stream/stream.h"
#include "core/symbols/symbols.h"
#include "core/task.h"
#include "core/unwind/unwind.h"
#include "kernel/x86_64/cpu/clock.h"
#include "kernel/x86_64/cpu/percpu.h"
#include "kernel/x86_64/fault.h"
#include "kernel/x86_64/memory/image.h"
#include "kernel/x86_64/memory/paging.h"
#include "tests/port/port_trace.h"

#define COM1      0x3f8
#define COM2      0x2f8
#define EXIT_PORT 0xf4
#define RING_SIZE 65536u
#define ROUNDS    20

_Noreturn void port_main(void);

/* --- This kernel's own code: output, an end, a load. --- */

static void port_send(uint16_t port, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        while (!(port_read8(port + 5) & 0x20)) {
        }
        port_write8(port, (uint8_t)bytes[i]);
    }
}

static void com1_write(struct sink *sink, const char *bytes, size_t length)
{
    (void)sink;
    port_send(COM1, bytes, length);
}

static void com2_write(struct sink *sink, const char *bytes, size_t length)
{
    (void)sink;
    port_send(COM2, bytes, length);
}

static struct sink com1 = {com1_write}, com2 = {com2_write};

static _Noreturn void port_exit(uint8_t status)
{
    port_write8(EXIT_PORT, status);
    arch_halt();
}

PITOT_TRACEPOINT(port, port_step, 2, PITOT_FIELD(u64, value, "value=%lu"),
                 PITOT_FIELD(text, kind, " kind=%s"));

static volatile uint64_t port_watched;
static uint64_t port_writes;

__attribute__((noinline)) static void port_leaf(uint64_t value)
{
    port_watched = value;
    port_writes++;
    PITOT_TRACE(port_step, value, value % 2 ? "odd" : "even");
}

__attribute__((noinline)) static void port_middle(uint64_t value)
{
    port_leaf(2 * value);
    port_leaf(2 * value + 1);
}

__attribute__((noinline)) static void port_load(void)
{
    for (uint64_t i = 0; i < ROUNDS; i++)
        port_middle(i);
}

/* --- What core needs from the kernel that contains it. --- */

_Noreturn void assert_failed(const char *claim, const char *file, int line)
{
    print_to(&com1, "%s:%d: %s\n", file, line, claim);
    port_exit(2);
}

static _Noreturn void port_refuse(const char *what, const struct refusal *why)
{
    print_to(&com1, "port: %s: %s\n", what, why->text);
    port_exit(3);
}

static void port_fault(struct regs *regs)
{
    char place[96];

    print_to(&com1, "port: exception %llu at %s\n", (unsigned long long)regs->vector,
             symbols_describe(regs->ip, place, sizeof(place)));
    port_exit(4);
}

/* --- What arch needs of kernel/x86_64/memory/paging.c, for this kernel with its own tables. --- */

/* boot.asm maps the whole first gigabyte, all of it with the same rights. */
bool arch_mapped(uintptr_t address, size_t length)
{
    return address >= KERNEL_BASE && address + length - KERNEL_BASE <= 1ul << 30;
}

bool arch_readable(uintptr_t address, size_t length)
{
    return arch_mapped(address, length);
}

bool arch_executable(uintptr_t address)
{
    return arch_mapped(address, 1);
}

uint8_t *paging_alias_open(uintptr_t page)
{
    return (uint8_t *)image_physical((const void *)page);
}

void paging_alias_close(void)
{
}

/* --- A recording. --- */

static _Alignas(8) uint8_t ring_memory[RING_SIZE];
static struct ring ring;
static struct ring_reader reader;
static struct event events[2];
static struct event_cpu event_cpus[2]; /* for the only CPU */
static struct recorded_event recorded[2];

static void source_rewind(struct record_source *source)
{
    (void)source;
    ring_reader_start(&reader, &ring);
}

static const struct perf_event_header *source_next(struct record_source *source)
{
    static _Alignas(8) uint8_t record[SAMPLE_SIZE_MAX];

    (void)source;
    return ring_read(&reader, record, sizeof(record)) == RING_READ_RECORD ? (void *)record : NULL;
}

static void port_arm(struct event *event, const char *spelling)
{
    struct event_spec spec;
    struct refusal why;

    if (event_spec_parse(spelling, &spec, &why))
        port_refuse(spelling, &why);
    spec.attr.sample_type = SAMPLE_ALWAYS | PERF_SAMPLE_CALLCHAIN;
    if (spec.attr.type == PERF_TYPE_TRACEPOINT)
        spec.attr.sample_type |= PERF_SAMPLE_RAW;
    spec.attr.sample_id_all = 1;
    spec.attr.sample_period = 1;
    spec.chain.method = unwind_default();
    event_init(event, &spec, &event_cpus[event - events]);
    if (event_enable(event, &why))
        port_refuse(spelling, &why);
    event_begin(event, &ring);
}

static void port_stream(void)
{
    static const struct recorded_task task = {.pid = TASK_PID, .tid = TASK_PID, .comm = "port"};
    static struct stream stream;
    const struct stream_kernel kernel = {.arch = ARCH_NAME,
                                         .build_id = arch_build_id(),
                                         .text = arch_text_start(),
                                         .text_size = arch_text_end() - arch_text_start()};
    struct record_source source = {source_rewind, source_next, recorded, 2};
    struct recorded_loss loss = {0, ring.dropped, ring.overwritten};

    for (unsigned i = 0; i < 2; i++) {
        event_sum(&events[i]);
        recorded[i] = events[i].recorded;
    }
    stream_init(&stream, &com2, &kernel);
    stream_write_recording(&stream, &source, &task, 1, &loss, 1, arch_clock_ns());
}

_Noreturn void port_main(void)
{
    struct refusal why;
    const char *mapless;

    clock_start();
    clock_set_rate(1000000000); /* an arbitrary rate: nothing here needs real time */
    idt_init();
    percpu_init(0);
    task_set_ids(TASK_PID);
    arch_set_fault_handler(port_fault);
    if (symbols_init(arch_build_id(), ARCH_BUILD_ID_SIZE, &why) || unwind_init(&why))
        port_refuse("tables", &why);
    mapless = arch_accessor_init();
    if (mapless && refuse(&why, EINVAL, "%s", mapless))
        port_refuse("tables", &why);
    if (ring_init(&ring, ring_memory, RING_SIZE, RING_OVERWRITE, false, &why))
        port_refuse("ring", &why);
    breakpoint_init();
    port_arm(&events[0], "mem:port_watched:w");
    port_arm(&events[1], "port:port_step");
    port_load();
    event_disable(&events[0]);
    event_disable(&events[1]);
    port_stream();
    print_to(&com1, "port: %llu writes, %llu hits, %llu records\n", (unsigned long long)port_writes,
             (unsigned long long)events[0].recorded.count, (unsigned long long)ring.produced);
    port_exit(0);
}
