/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Locates the recording in the memory of a stopped machine: the kernel exports a constant `struct
 * recorder` under the symbol `recorder`, so tools/postmortem needs no debug information.
 * core/recording/layout.h fills it in; docs/crash.md describes its use.
 *
 * Little endian, pointers of 8 bytes. Addresses are the kernel's; 0: absent. A member named after a
 * field holds that field's offset in bytes. The machine is stopped while this is read, so only the
 * ring's own order matters (docs/ring.md).
 */
#pragma once

#include <stdint.h>

#define RECORDER_SYMBOL  "recorder"
#define RECORDER_MAGIC   UINT64_C(0x434552544f544950) /* the bytes "PITOTREC" */
#define RECORDER_VERSION 3

/* A ring. Fields have 64 bits, except `mode`, which has 32; `bytes` is a pointer, 0: no ring. */
struct recorder_ring {
    uint32_t bytes, size, mode, head, published, tail, nest, produced, dropped, overwritten;
    uint32_t overwrites; /* the value of `mode` at which writers move the tail */
    /* claim_count claims start at `claims`, outermost level first */
    uint32_t claims, claim_count, claim_stride, claim_offset, claim_size;
};

/* An event. `id` has 64 bits. */
struct recorder_event {
    uint32_t stride, id;
    uint32_t attr, attr_size; /* a struct perf_event_attr of attr_size bytes */
    uint32_t name, name_size; /* a string, at most name_size bytes including its NUL */
};

/*
 * A thread's name, its exit, or code its process has mapped. `time` has 64 bits; `pid`, `tid` and
 * `parent` have 32; `name` is a pointer to a string.
 *
 * If `size` is not 0, the entry is a mapping: `start`, `size` and `offset` (in the file) have 64
 * bits, `name` is the file's name, at most `path_size` bytes, and `build_id` points to the 20 bytes
 * of its build id, 0: none. Otherwise `name` is the thread's name, 0: it exited, and `parent` the
 * thread that created it, 0: it existed before.
 */
struct recorder_task {
    uint32_t stride, pid, tid, time, name, name_size;
    uint32_t start, size, offset, build_id, path_size, parent;
};

/* All threads that may occur in samples. */
struct recorder_tasks {
    uint64_t first;
    uint64_t count; /* address of the 64-bit count */
    struct recorder_task task;
};

/*
 * A tracepoint, and a field of its record. Strings and `fields` are pointers; `field_count` and
 * `kind` have 32 bits, `offset` and `size` 16. Kinds are those of core/tracepoint/tracepoint.h.
 */
struct recorder_tracepoint {
    uint32_t full_name, name, fields, field_count;
    uint32_t field_stride, field_name, field_print, field_kind, field_offset, field_size;
};

struct recorder {
    uint64_t magic;
    uint32_t version;
    uint32_t size;  /* of this structure */
    uint64_t rings; /* one per CPU, including rings without memory */
    uint32_t ring_stride, ring_count;
    uint64_t events;      /* address of a pointer to the first event */
    uint64_t event_count; /* address of the 32-bit count; a count of 0: no recording */
    uint64_t tasks;       /* address of a struct recorder_tasks */
    /* Bounds of an array of pointers to tracepoints, [first, end); the first has the id 1. */
    uint64_t tracepoints, tracepoints_end;
    struct recorder_ring ring;
    struct recorder_event event;
    struct recorder_tracepoint tracepoint;
};

_Static_assert(sizeof(struct recorder_ring) == 64, "the format has no hidden padding");
_Static_assert(sizeof(struct recorder_event) == 24, "the format has no hidden padding");
_Static_assert(sizeof(struct recorder_tasks) == 64, "the format has no hidden padding");
_Static_assert(sizeof(struct recorder_tracepoint) == 40, "the format has no hidden padding");
_Static_assert(sizeof(struct recorder) == 200, "the format has no hidden padding");
