/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See drain.h. Only one of these writes at a time: the thread; the caller of drain_finish, if there
 * is no thread; the CPU that panics. Stores are ordered so that a panic at any instruction finds
 * valid state.
 */
#include "core/stream/drain.h"

#include "arch/cpu.h"
#include "arch/local.h"
#include "core/event/event.h"
#include "core/host.h"
#include "core/lib/assert.h"
#include "core/lib/print.h"
#include "core/recording/recording.h"
#include "core/sample/sample.h"

#define BEGIN_NS 1000000000ull /* a recording of this age is streamed, however short it is */
#define PAUSE_NS 100000000ull  /* between two passes while the rings hold little */
#define SHOW_NS  1000000000ull /* between two progress messages */

_Static_assert(SAMPLE_SIZE_MAX <= STREAM_STAGE, "the stream takes each record of the rings");

enum drain_state {
    DRAIN_DONE,    /* nothing to send */
    DRAIN_WAITS,   /* a recording runs, none of it has been sent */
    DRAIN_HEAD,    /* the recording's head is being sent */
    DRAIN_RECORDS, /* the head has been sent */
    DRAIN_ENDS,    /* the records have been sent */
};

static struct {
    enum drain_state state;
    uint64_t next_ns; /* the thread need not check before this time, unless much is waiting */
    uint64_t passes;
    bool whole; /* no record older than the last pass can still appear */
    struct ring_reader reader[ARCH_CPUS_MAX];
    /*
     * Saved in this order before a record is read. The record has not been sent while
     * stream->records still equals `records`.
     */
    unsigned cpu;
    uint64_t position, records;
    uint64_t unreturned; /* records sent but not yet given back to the writers */
    uint64_t given_back;
    size_t tasks_told;

    /* Loss counters and the end's time, read once all records had been sent. */
    struct recorded_loss losses[ARCH_CPUS_MAX];
    size_t loss_count;
    uint64_t closed;

    /* While a thread waits for the end, the tick wakes it to report progress. */
    bool awaited; /* a thread waits; written by that thread */
    /* When the next message is due: set by the waiting thread before `awaited`, then by the tick */
    uint64_t show_ns;
    bool show; /* [A] a message is due: set by the tick, cleared by the waiting thread */
} drain;       /* all other fields belong to the writer; the tick reads `state` and next_ns */

static bool has_writer; /* set at boot; false: no port, or the host starts no threads */

/* Requests to the thread, which waits on PITOT_RECORDS. [A] */
enum { DRAIN_CALLED = 1, DRAIN_ENDING = 2 };
static uint32_t calls;
static uint32_t taken; /* used only by the thread: the calls it is serving */

static void drain_head(struct stream *stream, bool more)
{
    const struct ring *ring;

    assert(drain.state == DRAIN_WAITS); /* a head is sent only once */
    drain.state = DRAIN_HEAD;
    local_barrier(); /* a panic does not repeat a head that is partly sent */
    stream->compress = recording_compresses();
    stream_begin_recording(stream, recording_source_for_stream(), more);
    for (unsigned cpu = 0; (ring = recording_ring(cpu)); cpu++)
        ring_reader_start(&drain.reader[cpu], ring);
    drain.records = stream->records - 1;
    local_barrier(); /* a panic that sees this state sees the readers' positions */
    drain.state = DRAIN_RECORDS;
}

/* Frees read records only once the ring is nearly full; never in overwrite mode. */
static void drain_give_back(struct ring *ring, const struct ring_reader *reader)
{
    if (ring->mode == RING_OVERWRITE || ring->published - ring->tail <= ring->size / 8 * 7)
        return;
    ring_consume(ring, reader);
    drain.given_back += drain.unreturned;
    drain.unreturned = 0;
}

/* Bytes of a ring that have not been sent yet. */
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
 * Writes only records published before it starts, because writers may outrun the port. `nest`, read
 * first, is not 0 while a writer has read the clock for a record but has not published it.
 */
static void drain_ring(struct stream *stream, unsigned cpu, struct ring *ring)
{
    static _Alignas(8) uint8_t record[SAMPLE_SIZE_MAX];
    struct ring_reader *reader = &drain.reader[cpu];
    uint64_t until;

    drain.whole &= publish_load(&ring->nest) == 0;
    until = publish_load(&ring->published);
    while (reader->position < until) {
        drain.cpu = cpu;
        drain.position = reader->position;
        local_barrier();
        drain.records = stream->records;
        local_barrier(); /* before the reader moves */
        if (ring_read(reader, record, sizeof(record)) != RING_READ_RECORD)
            break;
        stream_put_record(stream, (const struct perf_event_header *)record);
        drain.unreturned++;
        drain_give_back(ring, reader);
    }
}

/*
 * Called before the records, so that a cut stream has names, and after them, for threads that were
 * created meanwhile.
 */
static void drain_tasks(struct stream *stream)
{
    const struct recorded_task *tasks;
    size_t count = recording_tasks(&tasks);

    assert(drain.tasks_told <= count); /* the count is reset only when the next recording begins */
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
    stream_flush(stream); /* a host that reads meanwhile gets the whole pass */
}

static void drain_end(struct stream *stream)
{
    assert(drain.state == DRAIN_RECORDS || drain.state == DRAIN_ENDS);
    if (drain.state != DRAIN_ENDS) {
        drain.loss_count = recording_losses(drain.losses, ARCH_CPUS_MAX);
        drain.closed = arch_clock_ns();
        local_barrier(); /* drain_crash repeats the end with these values */
        drain.state = DRAIN_ENDS;
    }
    stream_end_recording(stream, drain.losses, drain.loss_count, drain.closed);
    drain.state = DRAIN_DONE;
}

/* Writes the rest of the recording. The ring writers have stopped. */
static void drain_rest(struct stream *stream)
{
    if (drain.state == DRAIN_WAITS)
        drain_head(stream, false);
    drain_pass(stream);
    drain_end(stream);
}

static bool drain_has_ended(void)
{
    return *(volatile enum drain_state *)&drain.state == DRAIN_DONE;
}

/* A call that comes after all records have been sent has no effect: drain_start clears it. */
static int drain_is_called(void)
{
    if (drain_has_ended())
        return false;
    taken = __atomic_exchange_n(&calls, 0, __ATOMIC_ACQ_REL);
    return taken & DRAIN_CALLED;
}

static void drain_run(void *unused)
{
    struct stream *stream = stream_port();

    (void)unused;
    for (;;) {
        host.wait(PITOT_RECORDS, drain_is_called);
        if (taken & DRAIN_ENDING) {
            recording_settle();
            drain_rest(stream);
            host.wake(PITOT_STREAM_ENDS);
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
    __atomic_fetch_or(&calls, last ? DRAIN_CALLED | DRAIN_ENDING : DRAIN_CALLED, __ATOMIC_ACQ_REL);
    host.wake(PITOT_RECORDS);
}

void drain_init(void)
{
    const char *wrong = "thread_start of struct pitot_kernel is 0";
    unsigned pid;

    if (!stream_port())
        return;
    /* The thread already sleeps when this returns, so no recording contains its start. */
    if (host.thread_start)
        wrong = host.thread_start("perf", drain_run, &pid);
    if (wrong) {
        print("Pitot: recordings are streamed only when they have ended: %s\n", wrong);
        return;
    }
    has_writer = true;
    event_set_drain(pid);
}

void drain_start(void)
{
    assert(drain.state == DRAIN_DONE); /* the last recording has been sent or dropped */
    __atomic_store_n(&calls, 0, __ATOMIC_RELEASE);
    drain.next_ns = arch_clock_ns() + BEGIN_NS;
    drain.passes = drain.unreturned = drain.given_back = drain.tasks_told = 0;
    local_barrier(); /* a panic that sees this state sees the rest */
    drain.state = DRAIN_WAITS;
}

/*
 * True if more than a quarter of a ring, or anything in a nearly full ring, is unsent. Sets *any to
 * true if anything in any ring is unsent.
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

/* A port may take minutes to send the rings: progress is reported every second. */
static void drain_tick_awaited(void)
{
    uint64_t now = arch_clock_ns();

    if (now < drain.show_ns)
        return;
    drain.show_ns = now + SHOW_NS;
    __atomic_store_n(&drain.show, true, __ATOMIC_RELEASE);
    host.wake(PITOT_STREAM_ENDS);
}

void drain_tick(void)
{
    bool any;

    if (drain.awaited)
        drain_tick_awaited();
    if (!has_writer || (drain.state != DRAIN_WAITS && drain.state != DRAIN_RECORDS))
        return;
    if (recording_frozen())
        drain_call(true);
    else if (recording_overwrites())
        return;
    else if (drain_much(&any) || (any && arch_clock_ns() >= drain.next_ns))
        drain_call(false);
}

/* True when everything has been sent or a progress message is due. */
static int drain_is_told(void)
{
    return drain_has_ended() || __atomic_exchange_n(&drain.show, false, __ATOMIC_ACQ_REL);
}

/* Sleeps until everything has been sent; the tick wakes the caller every second. */
static void drain_await(void (*progress)(unsigned long done, unsigned long total))
{
    uint64_t total = drain_waiting_in_all(), waiting;

    drain.show_ns = arch_clock_ns() + SHOW_NS;
    drain_call(true);
    drain.awaited = true;
    while (!drain_has_ended()) {
        host.wait(PITOT_STREAM_ENDS, drain_is_told);
        waiting = drain_waiting_in_all();
        if (progress && !drain_has_ended())
            progress(total - waiting, total);
    }
    drain.awaited = false;
}

void drain_finish(void (*progress)(unsigned long done, unsigned long total))
{
    if (!stream_port()) {
        stream_block_write();
        drain.state = DRAIN_DONE;
    } else if (!has_writer) {
        drain_rest(stream_port());
    } else {
        drain_await(progress);
    }
}

/*
 * Continues an interrupted stream. Returns false if that is impossible: inside a head, or if the
 * bytes sent are not counted.
 */
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
    if (stream_port() && drain_resume(stream_port())) {
        print("recording: handed over, %llu bytes of stream in all\n",
              (unsigned long long)stream_port()->bytes);
    } else {
        if (stream_port())
            print(
                "recording: the stream at its port was cut off here, and cannot be read from here "
                "on; the block below is whole: tools/stream takes it from the console's log\n");
        stream_block_write();
    }
    drain.state = DRAIN_DONE;
}

uint64_t drain_given_back(void)
{
    return drain.given_back;
}
