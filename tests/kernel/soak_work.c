/* SPDX-License-Identifier: BSD-2-Clause */
/* See soak_work.h. */
#include "tests/kernel/soak_work.h"

#include "arch/local.h"
#include "arch/memory.h"
#include "arch/x86_64/entry/trap.h"
#include "core/lib/string.h"
#include "kernel/memory/pages.h"
#include "kernel/panic/panic.h"
#include "kernel/sched/preempt.h"
#include "kernel/sched/thread.h"
#include "kernel/time/ticks.h"
#include "kernel/x86_64/cpu/apic.h"
#include "kernel/x86_64/cpu/percpu.h"
#include "tests/unit/ring_parts.h"
#include "tests/unit/ring_payload.h"

#define VECTOR_SOAK 0xe1
#define WORDS_MOST  64  /* of a record */
#define BURST       200 /* records */
#define NESTED      6   /* records of one interrupt */
#define READS       8   /* records, before it sends the next interrupt */
#define SIZES       4   /* of rings: from the smallest, each twice as large */
#define FAIR        8   /* each ring contributes at least 1 / FAIR of an equal share */

static struct soak_lane lanes[ARCH_CPUS_MAX];
static uint64_t scratch[ARCH_CPUS_MAX][SOAK_LEVELS][WORDS_MOST]; /* [owning CPU] */
static uint32_t random[ARCH_CPUS_MAX][SOAK_LEVELS + 1];          /* ... and its reader */

/* Set by the boot thread, in this order. */
static bool writers_end, senders_end, readers_end;

static bool is_set(const bool *flag)
{
    return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
}

static void set(bool *flag)
{
    __atomic_store_n(flag, true, __ATOMIC_RELEASE);
}

/* Marsaglia, "Xorshift RNGs" (2003) */
static uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    return *state ^= *state << 5;
}

/* Lets this CPU's other threads run, and emulated CPUs that take turns. */
static void pause(void)
{
    thread_yield();
    arch_relax();
}

/* --- Writers ---------------------------------------------------------------------------------- */

/* Emulated CPUs that take turns switch here: sometimes in the middle of a record. */
static void maybe_pause(uint32_t number)
{
    if (number % 64 == 0)
        arch_relax();
}

static bool write_in_parts(struct ring *ring, uint64_t *words, uint32_t size, unsigned level,
                           uint32_t number)
{
    struct ring_record record;
    bool claimed = ring_reserve(ring, size, &record);

    if (claimed) {
        payload_fill(words, size, level, record.offset, record.time);
        maybe_pause(number >> 8);
        ring_write(ring, &record, words, size);
        maybe_pause(number >> 16);
    }
    ring_commit(ring, &record);
    return claimed;
}

static bool write_at_once(struct ring *ring, uint64_t *words, uint32_t size, unsigned level)
{
    uint64_t dropped = ring->dropped;

    payload_fill_named(words, size, level, (uint16_t)ring->produced);
    ring_output(ring, words, size, payload_time_word(words));
    return ring->dropped == dropped;
}

/* With preemption off. False if the record was dropped. */
static bool write_one(enum soak_level level)
{
    unsigned cpu = arch_cpu_id();
    struct soak_lane *lane = &lanes[cpu];
    uint32_t number = next_random(&random[cpu][level]);
    uint32_t words = 1 + number % WORDS_MOST;

    local_increment(&lane->written[level]);
    if (local_load(&lane->ring.nest) > 0)
        local_increment(&lane->upon[level]);
    if (words > 2 && number & 1u << 31) /* a prepared record needs room for its time */
        return write_at_once(&lane->ring, scratch[cpu][level], words * 8, level);
    return write_in_parts(&lane->ring, scratch[cpu][level], words * 8, level, number);
}

static void write_all(void *unused)
{
    uint64_t burst = 0;

    (void)unused;
    while (!is_set(&writers_end)) {
        bool written;

        preempt_off();
        written = write_one(SOAK_TASK);
        preempt_on();
        /* In bursts, so that readers are sometimes too slow and sometimes not. */
        if (!written || ++burst % BURST == 0)
            pause();
    }
}

/* Writes several, so that some remain when the reader reaches them. */
static void write_some(enum soak_level level)
{
    for (unsigned i = 0; i < NESTED; i++)
        write_one(level);
}

static void write_in_interrupt(struct regs *regs)
{
    (void)regs;
    apic_end();
    write_some(SOAK_INTERRUPT);
}

static void write_in_nmi(struct regs *regs)
{
    (void)regs;
    write_some(SOAK_NMI);
}

/* --- Readers ---------------------------------------------------------------------------------- */

static void judge(struct soak_lane *lane, const uint64_t *record, uint64_t *time)
{
    uint32_t size = ((const struct perf_event_header *)record)->size;
    uint64_t position = lane->reader.position - size;
    const char *fault = payload_fault(record, position);

    if (!fault && payload_has_time(size)) {
        if (payload_time(record) < *time)
            fault = "time runs backwards";
        *time = payload_time(record);
    }
    if (!fault && payload_level(record) >= SOAK_LEVELS)
        fault = "nobody writes such a level";
    if (!fault) {
        lane->records[payload_level(record)]++;
        local_store(&lane->bytes, lane->bytes + size);
        return;
    }
    if (lane->faults++ == 0) {
        lane->fault = fault;
        lane->at = position;
    }
}

/* Sends mostly NMIs; both go to the CPU whose ring is read. */
static void send(unsigned cpu)
{
    uint32_t number = next_random(&random[cpu][SOAK_LEVELS]);

    if (number % 8 == 0)
        apic_send(percpu[cpu].apic_id, VECTOR_SOAK);
    else if (number % 2 == 0)
        apic_send_nmi(percpu[cpu].apic_id);
}

static enum ring_read_result read_one(unsigned cpu, uint64_t *time)
{
    static uint64_t copies[ARCH_CPUS_MAX][WORDS_MOST];
    struct soak_lane *lane = &lanes[cpu];
    enum ring_read_result result = ring_read(&lane->reader, copies[cpu], sizeof(copies[cpu]));

    if (result == RING_READ_RECORD)
        judge(lane, copies[cpu], time);
    if (result == RING_READ_RECORD && lane->ring.mode == RING_NORMAL)
        ring_consume(&lane->ring, &lane->reader);
    if (result == RING_READ_TOO_LARGE) {
        lane->fault = "a record's size is invalid";
        lane->at = lane->reader.position;
        lane->faults++;
    }
    return result;
}

/* Reads until nothing more comes, or an unfinished record is in the way. */
static void read_all(void *data)
{
    unsigned cpu = (unsigned)(uintptr_t)data;
    uint64_t time = 0, read = 0;

    for (;;) {
        bool last = is_set(&readers_end);
        enum ring_read_result result = read_one(cpu, &time);

        if (is_set(&senders_end))
            set(&lanes[cpu].quiet);
        else if (result == RING_READ_RECORD && ++read % READS == 0)
            send(cpu);
        if (result == RING_READ_TOO_LARGE || (last && result == RING_READ_EMPTY))
            break;
        if (result == RING_READ_EMPTY)
            pause();
    }
    set(&lanes[cpu].quiet);
}

/* --- Everything ------------------------------------------------------------------------------- */

static bool lanes_prepare(enum ring_mode mode)
{
    memset(lanes, 0, sizeof(lanes));
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++) {
        unsigned order = cpu % SIZES;
        void *memory = pages_alloc(order);

        if (!memory || ring_init(&lanes[cpu].ring, memory, PAGE_SIZE << order, mode,
                                 mode == RING_NORMAL, NULL) != 0)
            return false;
        ring_reader_start(&lanes[cpu].reader, &lanes[cpu].ring);
        for (unsigned i = 0; i <= SOAK_LEVELS; i++)
            random[cpu][i] = 1 + cpu * (SOAK_LEVELS + 1) + i;
    }
    return true;
}

static bool is_enough(uint64_t bytes)
{
    uint64_t all = 0, least = UINT64_MAX;
    bool faulty = false;

    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++) {
        uint64_t here = local_load(&lanes[cpu].bytes);

        if (!arch_cpu_runs(cpu))
            continue;
        all += here;
        least = here < least ? here : least;
        faulty |= local_load(&lanes[cpu].faults) > 0;
    }
    return faulty || (all >= bytes && least >= bytes / arch_cpus() / FAIR);
}

static void make(struct thread **threads, const char *name, void (*function)(void *), unsigned turn)
{
    struct refusal why;

    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++) {
        threads[cpu] = thread_create_on((cpu + turn) % arch_cpus(), name, function,
                                        (void *)(uintptr_t)cpu, &why);
        if (!threads[cpu])
            panic("%s", why.text);
    }
}

static void join(struct thread *const *threads)
{
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        thread_join(threads[cpu]);
}

static void await_quiet(void)
{
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        while (!is_set(&lanes[cpu].quiet))
            thread_yield();
}

static void nothing(void *unused)
{
    (void)unused;
}

bool soak_run(enum ring_mode mode, uint64_t bytes)
{
    static struct thread *writers[ARCH_CPUS_MAX], *readers[ARCH_CPUS_MAX], *last[ARCH_CPUS_MAX];

    if (!lanes_prepare(mode))
        return false;
    writers_end = senders_end = readers_end = false;
    trap_set_handler(VECTOR_NMI, write_in_nmi);
    trap_set_handler(VECTOR_SOAK, write_in_interrupt);
    make(writers, "writer", write_all, 0);
    make(readers, "reader", read_all, 1);
    while (!is_enough(bytes))
        thread_sleep_ns(TICK_NS);
    set(&writers_end);
    join(writers);
    set(&senders_end);
    await_quiet();
    /* Once a later thread has run there, everything that was sent has arrived: */
    make(last, "last", nothing, 0);
    join(last);
    set(&readers_end);
    join(readers);
    trap_set_handler(VECTOR_SOAK, NULL);
    trap_set_handler(VECTOR_NMI, NULL);
    return true;
}

void soak_release(void)
{
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        pages_free(lanes[cpu].ring.bytes, cpu % SIZES);
}

const struct soak_lane *soak_lane(unsigned cpu)
{
    return &lanes[cpu];
}
