/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See drain.h. One writer at a time: the thread from drain_start on, or whoever calls drain_finish
 * before there is one; and in a panic, which nobody survives, whoever panics. What a panic has to
 * find is stored in an order that leaves it true at each instruction.
 */
#include "core/stream/drain.h"

#include "arch/arch.h"
#include "core/event/event.h"
#include "core/lib/print.h"
#include "core/recording/comms.h"
#include "core/recording/recording.h"
#include "core/sample/sample.h"
#include "core/stream/port.h"
#include "kernel/sched/thread.h"
#include "kernel/sched/wait_queue.h"

#define BEGIN_NS 1000000000ull /* a recording that is so old streams, however little there is */
#define PAUSE_NS 100000000ull  /* between two looks at rings that have little */
#define SHOW_NS  1000000000ull /* between two words about how far the end is */

_Static_assert(SAMPLE_SIZE_MAX <= STREAM_STAGE, "the stream takes each record of the rings");

enum drain_state {
    DRAIN_DONE,    /* nothing to hand over */
    DRAIN_WAITS,   /* a recording runs, nothing of it has left */
    DRAIN_HEAD,    /* its head is leaving */
    DRAIN_RECORDS, /* its head has left */
    DRAIN_ENDS,    /* its records have left */
};

static struct {
    enum drain_state state;
    uint64_t next_ns; /* the thread need not look before, unless there is much */
    uint64_t passes;
    bool whole; /* the last pass left no record behind that is older than it */
    struct ring_reader reader[ARCH_CPUS_MAX];
    /*
     * Before a record is read: whose reader stood where, and how many records had left the stream
     * then. As long as the last is true, the record has not left. Stored in this order.
     */
    unsigned cpu;
    uint64_t position, records;
    uint64_t unreturned; /* records that have left and can still be read here */
    uint64_t given_back;
    size_t tasks_told;

    /* What the counters said when the records had left. */
    struct stream_loss losses[ARCH_CPUS_MAX];
    size_t loss_count;
    uint64_t closed;

    /* While the end is waited for: the tick wakes the waiting thread so that it can say how far. */
    bool awaited;     /* the waiting thread's */
    uint64_t show_ns; /* when next; the waiting thread's before `awaited` is set, then the tick's */
} drain; /* the writer's otherwise, but for `state` and next_ns, which the tick reads */

static struct thread *writer;                           /* set at boot; NULL: no port, or no room */
static struct wait_queue calls = WAIT_QUEUE("records"); /* the thread sleeps here, */
static struct wait_queue ends = WAIT_QUEUE("the stream"); /* ... who waits for its end here */
static bool called, ending;                               /* both under the lock of `calls` */

static void drain_head(struct stream *stream, bool more)
{
    const struct ring *ring;

    drain.state = DRAIN_HEAD;
    local_barrier(); /* a panic does not begin anew what has begun to leave */
    stream_begin_recording(stream, recording_source_for_stream(), more);
    for (unsigned cpu = 0; (ring = recording_ring(cpu)); cpu++)
        ring_reader_start(&drain.reader[cpu], ring);
    drain.records = stream->records - 1;
    local_barrier(); /* a panic that finds the state finds where the readers stand */
    drain.state = DRAIN_RECORDS;
}

/*
 * Until the ring is nearly full, records stay for those who read them here. A ring in overwrite
 * mode needs nothing back.
 */
static void drain_give_back(struct ring *ring, const struct ring_reader *reader)
{
    if (ring->mode == RING_OVERWRITE || ring->published - ring->tail <= ring->size / 8 * 7)
        return;
    ring_consume(ring, reader);
    drain.given_back += drain.unreturned;
    drain.unreturned = 0;
}

static void drain_note(const struct stream *stream, unsigned cpu)
{
    drain.cpu = cpu;
    drain.position = drain.reader[cpu].position;
    local_barrier();
    drain.records = stream->records;
    local_barrier(); /* before the reader moves */
}

/* The bytes of a ring that have not left. */
static uint64_t drain_waiting(unsigned cpu, const struct ring *ring)
{
    bool begun = drain.state == DRAIN_RECORDS || drain.state == DRAIN_ENDS;

    return publish_load(&ring->published) - (begun ? drain.reader[cpu].position : ring->tail);
}

static uint64_t drain_waiting_in_all(void)
{
    const struct ring *ring;
    uint64_t bytes = 0;

    for (unsigned cpu = 0; (ring = recording_ring(cpu)); cpu++)
        bytes += drain_waiting(cpu, ring);
    return bytes;
}

/*
 * Those that are published when it begins: writers may be faster than the port. A writer on another
 * CPU may have read the clock for a record that it has yet to publish: it is under way then, which
 * is looked at before.
 */
static void drain_ring(struct stream *stream, unsigned cpu, struct ring *ring)
{
    static _Alignas(8) uint8_t record[SAMPLE_SIZE_MAX];
    struct ring_reader *reader = &drain.reader[cpu];
    bool under_way = publish_load(&ring->nest) != 0;
    uint64_t until = publish_load(&ring->published);

    drain.whole &= !under_way;
    while (reader->position < until) {
        drain_note(stream, cpu);
        if (ring_read(reader, record, sizeof(record)) != RING_READ_RECORD)
            break;
        stream_put_record(stream, (const struct perf_event_header *)record);
        drain.unreturned++;
        drain_give_back(ring, reader);
    }
}

/*
 * Before the records, so that a stream that is cut has names; and behind them: whoever has a sample
 * among them was noted before it.
 */
static void drain_tasks(struct stream *stream)
{
    const struct stream_task *tasks;
    size_t count = recording_comms(&tasks);

    for (; drain.tasks_told < count; drain.tasks_told++)
        stream_put_task(stream, &tasks[drain.tasks_told]);
}

static void drain_pass(struct stream *stream)
{
    struct ring *ring;

    if (drain.passes++ > 0 && drain.whole)
        stream_put_round(stream);
    drain.whole = true;
    drain_tasks(stream);
    for (unsigned cpu = 0; (ring = recording_ring(cpu)); cpu++)
        drain_ring(stream, cpu, ring);
    drain_tasks(stream);
}

static void drain_end(struct stream *stream)
{
    if (drain.state != DRAIN_ENDS) {
        drain.loss_count = recording_losses(drain.losses, ARCH_CPUS_MAX);
        drain.closed = arch_clock_ns();
        local_barrier(); /* a panic goes on with the same end */
        drain.state = DRAIN_ENDS;
    }
    stream_end_recording(stream, drain.losses, drain.loss_count, drain.closed);
    drain.state = DRAIN_DONE;
}

/* The rest, or the whole. The writers have stopped. */
static void drain_rest(struct stream *stream)
{
    if (drain.state == DRAIN_WAITS)
        drain_head(stream, false);
    drain_pass(stream);
    drain_end(stream);
}

/*
 * True: the recording ends. A call that comes late, when all has left, is for nobody: the next
 * recording begins under the same lock.
 */
static bool drain_wait(void)
{
    uint64_t flags = wait_queue_lock(&calls);
    bool ends_now;

    while (!called || drain.state == DRAIN_DONE)
        flags = wait_queue_sleep(&calls, flags);
    called = false;
    ends_now = ending;
    ending = false;
    wait_queue_unlock(&calls, flags);
    return ends_now;
}

static void drain_run(void *unused)
{
    struct stream *stream = stream_port();

    (void)unused;
    for (;;) {
        if (drain_wait()) {
            recording_settle();
            drain_rest(stream);
            wait_queue_wake_all(&ends);
            continue;
        }
        if (drain.state == DRAIN_WAITS)
            drain_head(stream, true);
        drain_pass(stream);
        drain.next_ns = arch_clock_ns() + PAUSE_NS;
    }
}

static void drain_call(bool last)
{
    uint64_t flags = wait_queue_lock(&calls);

    called = true;
    ending |= last;
    wait_queue_wake_all_locked(&calls);
    wait_queue_unlock(&calls, flags);
}

void drain_init(void)
{
    struct refusal why;

    if (!stream_port())
        return;
    writer = thread_create("perf", drain_run, NULL, &why);
    if (!writer) {
        print("Pitot: recordings are streamed only when they have ended: %s\n", why.text);
        return;
    }
    event_set_drain(writer->pid);
    thread_yield(); /* to its first sleep: its way there is in no recording */
}

void drain_start(void)
{
    uint64_t flags = wait_queue_lock(&calls);

    called = false;
    ending = false;
    drain.next_ns = arch_clock_ns() + BEGIN_NS;
    drain.passes = 0;
    drain.unreturned = 0;
    drain.given_back = 0;
    drain.tasks_told = 0;
    local_barrier(); /* a panic that finds the state finds the rest */
    drain.state = DRAIN_WAITS;
    wait_queue_unlock(&calls, flags);
}

/*
 * Whether a quarter of a ring has not left yet, or anything that has not left stands in a ring that
 * is nearly full, where giving back is due; *any: whether there is anything at all.
 */
static bool drain_much(bool *any)
{
    const struct ring *ring;
    bool much = false;

    *any = false;
    for (unsigned cpu = 0; (ring = recording_ring(cpu)); cpu++) {
        uint64_t bytes = drain_waiting(cpu, ring);

        much |= bytes > ring->size / 4 ||
                (bytes > 0 && ring->published - ring->tail > ring->size / 8 * 6);
        *any |= bytes > 0;
    }
    return much;
}

/* A port may take minutes for what the rings hold: the waiting thread says each second how far. */
static void drain_tick_awaited(void)
{
    uint64_t now = arch_clock_ns();

    if (now < drain.show_ns)
        return;
    drain.show_ns = now + SHOW_NS;
    wait_queue_wake_all(&ends);
}

void drain_tick(void)
{
    bool any;

    if (drain.awaited)
        drain_tick_awaited();
    if (!writer || (drain.state != DRAIN_WAITS && drain.state != DRAIN_RECORDS))
        return;
    if (recording_frozen())
        drain_call(true);
    else if (recording_overwrites())
        return;
    else if (drain_much(&any) || (any && arch_clock_ns() >= drain.next_ns))
        drain_call(false);
}

/* Sleeps until all has left. The thread that drains wakes it then, and the tick now and then. */
static void drain_await(void (*progress)(unsigned long done, unsigned long total))
{
    uint64_t total = drain_waiting_in_all(), waiting, flags;

    drain.show_ns = arch_clock_ns() + SHOW_NS;
    drain_call(true);
    flags = wait_queue_lock(&ends);
    drain.awaited = true;
    while (drain.state != DRAIN_DONE) {
        flags = wait_queue_sleep(&ends, flags);
        wait_queue_unlock(&ends, flags);
        waiting = drain_waiting_in_all();
        if (progress && drain.state != DRAIN_DONE)
            progress(total - waiting, total);
        flags = wait_queue_lock(&ends);
    }
    drain.awaited = false;
    wait_queue_unlock(&ends, flags);
}

void drain_finish(void (*progress)(unsigned long done, unsigned long total))
{
    if (!stream_port()) {
        stream_block_write();
        drain.state = DRAIN_DONE;
    } else if (!writer) {
        drain_rest(stream_port());
    } else {
        drain_await(progress);
    }
}

/* False: what has left ends in the middle of something that cannot be resumed. */
static bool drain_resume(struct stream *stream)
{
    if (drain.state == DRAIN_WAITS) {
        drain_rest(stream);
        return true;
    }
    if (drain.state == DRAIN_HEAD || !stream_recover(stream))
        return false;
    if (stream->records == drain.records)
        drain.reader[drain.cpu].position = drain.position;
    if (drain.state == DRAIN_RECORDS)
        drain_pass(stream);
    drain_end(stream);
    return true;
}

void drain_crash(void)
{
    if (drain.state == DRAIN_DONE)
        return;
    if (stream_port() && drain_resume(stream_port()))
        print("recording: handed over, %llu bytes of stream in all\n",
              (unsigned long long)stream_port()->bytes);
    else
        stream_block_write();
    drain.state = DRAIN_DONE;
}

uint64_t drain_given_back(void)
{
    return recording_ring(0) ? drain.given_back : 0; /* what only counts has no ring */
}
