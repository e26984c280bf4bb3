# SPDX-License-Identifier: BSD-2-Clause
#
# The kernel's description of its recording: core/abi/recorder.h, a constant structure with
# addresses and offsets. Needs no debug information, and is validated before use.

import struct
from types import SimpleNamespace

from pitot import Refusal
from pitot.layout import address_of
from pitot.memory import Unreadable, printable

MAGIC, VERSION = 0x434552544F544950, 3
PARTS = (
    ("", "<QII", ("magic", "version", "size")),
    ("", "<QIIQQQQQ", ("rings", "ring_stride", "ring_count", "events", "event_count", "tasks",
                       "tracepoints", "tracepoints_end")),
    ("ring", "<16I", ("bytes", "size", "mode", "head", "published", "tail", "nest", "produced",
                      "dropped", "overwritten", "overwrites", "claims", "claim_count",
                      "claim_stride", "claim_offset", "claim_size")),
    ("event", "<6I", ("stride", "id", "attr", "attr_size", "name", "name_size")),
    ("tracepoint", "<10I", ("full_name", "name", "fields", "field_count", "field_stride",
                            "field_name", "field_print", "field_kind", "field_offset",
                            "field_size")),
)
SIZE = sum(struct.calcsize(form) for _, form, _ in PARTS)
TASKS = ("<QQ12I", ("first", "count", "stride", "pid", "tid", "time", "name", "name_size", "start",
                    "size", "offset", "build_id", "path_size", "parent"))

# More than any kernel has: larger numbers are damage.
RINGS_MAX, EVENTS_MAX, TASKS_MAX, NAME_MAX = 4096, 4096, 65536, 128

# struct perf_event_attr, <linux/perf_event.h>: its first fields, and sample_regs_intr.
ATTR, ATTR_SIZE = "<IIQQQ", 112
ATTR_REGISTERS = 96


def recorder(memory):
    try:
        raw = memory.read(address_of("recorder"), SIZE)
    except Unreadable:
        raw = bytes(SIZE)
    found, at = SimpleNamespace(), 0
    for part, form, names in PARTS:
        into = found if not part else SimpleNamespace()
        into.__dict__.update(zip(names, struct.unpack_from(form, raw, at)))
        if part:
            setattr(found, part, into)
        at += struct.calcsize(form)
    if found.magic != MAGIC:
        raise Refusal("what describes the recording is damaged")
    if found.version != VERSION or found.size != SIZE:
        raise Refusal("the kernel describes its recording in version %d, these commands know "
                      "version %d: take those that came with the kernel" % (found.version, VERSION))
    if found.ring_count > RINGS_MAX or found.ring.claim_count > 16:
        raise Refusal("what describes the recording is damaged")
    return found


def events(memory, described):
    """By id."""
    try:
        count = memory.u32(described.event_count)
        first = memory.u64(described.events)
    except Unreadable:
        raise Refusal("the list of events is damaged")
    if count > EVENTS_MAX:
        raise Refusal("the list of events is damaged: it says %d" % count)
    if count == 0:
        raise Refusal("no recording there: `perf record` did not run")
    found = {}
    for i in range(count):
        try:
            event = read_event(memory, described.event, first + i * described.event.stride)
        except Unreadable:
            raise Refusal("event %d of the recording is damaged" % (i + 1))
        found[event.id] = event
    return found


def read_event(memory, layout, address):
    attr = memory.read(address + layout.attr, min(layout.attr_size, ATTR_SIZE))
    attr = attr.ljust(ATTR_SIZE, b"\0")
    kind, _, config, period, sample_type = struct.unpack_from(ATTR, attr)
    (registers,) = struct.unpack_from("<Q", attr, ATTR_REGISTERS)
    name = memory.read(address + layout.name, min(layout.name_size, NAME_MAX)).split(b"\0")[0]
    return SimpleNamespace(id=memory.u64(address + layout.id), kind=kind, config=config,
                           period=period, fields=sample_type, registers=registers,
                           name=printable(name))


def names(memory, described):
    """Of threads, by tid, which may be reused: the last name. And a complaint."""
    found = {}
    try:
        tasks = SimpleNamespace(**dict(zip(TASKS[1], struct.unpack(
            TASKS[0], memory.read(described.tasks, struct.calcsize(TASKS[0]))))))
        count = memory.u64(tasks.count)
        if count > TASKS_MAX:
            return found, "the names of threads are damaged: there will be numbers"
        for at in range(tasks.first, tasks.first + count * tasks.stride, tasks.stride or 1):
            if memory.u64(at + tasks.size) != 0 or memory.u64(at + tasks.name) == 0:
                continue  # a mapping or an exit, not a name
            place = memory.u64(at + tasks.name)
            raw = memory.read(place, min(tasks.name_size, NAME_MAX))
            found[memory.u32(at + tasks.tid)] = printable(raw.split(b"\0")[0])
    except Unreadable:
        return found, "the names of threads are damaged: there will be numbers"
    return found, None
