# SPDX-License-Identifier: BSD-2-Clause
#
# Parses a ring's record, field by field in the order of PERF_RECORD_SAMPLE in <linux/perf_event.h>,
# and formats it. An inconsistent record is none.

import struct
from types import SimpleNamespace

from pitot.layout import enumerators
from pitot.symbols import caller_of, place_of

THROTTLE, UNTHROTTLE, SAMPLE = 5, 6, 9
THROTTLE_WORDS = 7

# PERF_SAMPLE_*
IP, TID, TIME, ADDR, CALLCHAIN, CPU, PERIOD, RAW = (1 << bit for bit in (0, 1, 2, 3, 5, 7, 8, 10))
IDENTIFIER, REGS_INTR = 1 << 16, 1 << 18
KNOWN = IP | TID | TIME | ADDR | CALLCHAIN | CPU | PERIOD | RAW | IDENTIFIER | REGS_INTR
TRACEPOINT_TYPE = 2  # PERF_TYPE_TRACEPOINT

CHAIN_MARKS = (1 << 64) - 4095  # PERF_CONTEXT_*, not addresses


class Words:
    """The remaining words of a record. IndexError past the end."""

    def __init__(self, record):
        self.words, self.at = struct.unpack_from("<%dQ" % (len(record) // 8 - 1), record, 8), 0

    def take(self):
        self.at += 1
        return self.words[self.at - 1]

    def take_many(self, count):
        if count > len(self.words) - self.at:
            raise IndexError
        self.at += count
        return self.words[self.at - count : self.at]

    def done(self):
        return self.at == len(self.words)


def parse(record, events):
    """The sample or throttle record; None: of no event of this recording."""
    kind = struct.unpack_from("<I", record)[0]
    words = Words(record)
    try:
        if kind == SAMPLE:
            return parse_sample(words, events)
        if kind in (THROTTLE, UNTHROTTLE):
            return parse_throttle(kind, words, events)
    except IndexError:
        pass
    return None


def parse_throttle(kind, words, events):
    _, _, _, tid, time, cpu, identifier = words.take_many(THROTTLE_WORDS)
    if identifier not in events or not words.done():
        return None
    return SimpleNamespace(kind=kind, event=events[identifier], time=time, tid=tid >> 32,
                           cpu=cpu & 0xFFFFFFFF)


def parse_sample(words, events):
    event = events.get(words.take())
    if event is None or not event.fields & IDENTIFIER or event.fields & ~KNOWN:
        return None
    fields = event.fields
    found = SimpleNamespace(kind=SAMPLE, event=event, ip=None, tid=0, time=0, addr=None, cpu=None,
                            period=event.period, chain=(), raw=None, registers=())
    if fields & IP:
        found.ip = words.take()
    if fields & TID:
        found.tid = words.take() >> 32
    if fields & TIME:
        found.time = words.take()
    if fields & ADDR:
        found.addr = words.take()
    if fields & CPU:
        found.cpu = words.take() & 0xFFFFFFFF
    if fields & PERIOD:
        found.period = words.take()
    if fields & CALLCHAIN:
        found.chain = words.take_many(words.take())
    if fields & RAW:
        found.raw = take_raw(words)
    if fields & REGS_INTR and words.take():
        bits = [bit for bit in range(64) if event.registers >> bit & 1]
        found.registers = tuple(zip(bits, words.take_many(len(bits))))
    return found if words.done() else None


def take_raw(words):
    """A size of 32 bits and that many bytes, together whole words."""
    size = words.words[words.at] & 0xFFFFFFFF
    if (size + 4) % 8:
        raise IndexError
    all_words = words.take_many((size + 4) // 8)
    return struct.pack("<%dQ" % len(all_words), *all_words)[4:]


def in_words(record, names, tracepoints, chains):
    """A line, then its registers and, if wanted, its chain."""
    comm = names.get(record.tid, ":%d" % record.tid)
    cpu = "[%03d]" % record.cpu if record.cpu is not None else ""
    line = "%s %6d.%09d  %-15s %5d  %s: " % (cpu, record.time // 1000000000,
                                            record.time % 1000000000, comm, record.tid,
                                            record.event.name)
    if record.kind != SAMPLE:
        return [line + ("throttled" if record.kind == THROTTLE else "no longer throttled")]
    lines = [line + "  ".join(part for part in parts(record, tracepoints) if part)]
    if record.registers:
        lines.append("      " + " ".join("%s=%x" % (register_name(bit), value)
                                         for bit, value in record.registers))
    if chains:
        frames = [address for address in record.chain if address < CHAIN_MARKS]
        lines += ["      %#18x %s" % (address, caller_of(address) if i else place_of(address))
                  for i, address in enumerate(frames)]
    return lines


def parts(record, tracepoints):
    if record.event.kind == TRACEPOINT_TYPE and record.raw:
        yield tracepoints.in_words(record.event.config, record.raw)
    if record.ip is not None:
        yield place_of(record.ip)
    if record.addr:
        yield "at %s" % place_of(record.addr)


def register_name(bit):
    """Of its bit in sample_regs_intr, as in <asm/perf_regs.h>."""
    return enumerators("perf_event_x86_regs", "PERF_REG_X86_").get(bit, "bit%d" % bit).lower()
