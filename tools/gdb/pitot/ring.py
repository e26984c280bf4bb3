# SPDX-License-Identifier: BSD-2-Clause
#
# The rings of a stopped machine, walked from tail to head over whole and unfinished records:
# docs/ring.md, "Claims, and a machine that has stopped". Reports damage like tools/postmortem.

import struct

from pitot.memory import Unreadable

SIZE_MIN, SIZE_MAX = 4096, 1 << 30
HEADER, RECORD_MAX = 8, 65528
COUNTERS = ("size", "head", "published", "tail", "nest", "produced", "dropped", "overwritten")


class Ring:
    """Of one CPU. `fault`: why it is no ring; `damaged`: where the walk ended early."""

    def __init__(self, memory, layout, cpu, address, place):
        self.cpu, self.fault, self.damaged = cpu, None, None
        self.records, self.inside, self.unfinished, self.foreign = [], 0, [], 0
        try:
            self.take_fields(memory, layout, address)
        except Unreadable:
            self.fault = "it cannot be read"
            return
        self.fault = self.refuses()
        if self.fault:
            return
        try:
            self.bytes = self.take_bytes(memory, place)
        except Unreadable:
            self.fault = "its bytes cannot be read"
            return
        self.walk()

    def take_fields(self, memory, layout, address):
        for name in COUNTERS:
            setattr(self, name, memory.u64(address + getattr(layout, name)))
        self.overwrites = memory.u32(address + layout.mode) == layout.overwrites
        self.claims = []
        for i in range(layout.claim_count):
            claim = address + layout.claims + i * layout.claim_stride
            self.claims.append((memory.u64(claim + layout.claim_offset),
                                memory.u64(claim + layout.claim_size)))

    def take_bytes(self, memory, place):
        """From tail to head."""
        start, left, what = self.tail % self.size, self.head - self.tail, "CPU %d's ring" % self.cpu
        part = memory.read(place + start, min(left, self.size - start), what)
        return part + memory.read(place, left - len(part), what)

    def refuses(self):
        """Why it cannot be a ring, or None."""
        if not SIZE_MIN <= self.size <= SIZE_MAX or self.size & self.size - 1:
            return "its size is not a power of two within a ring's limits"
        if not 0 <= self.head - self.tail <= self.size:
            return "its tail is not within its size behind its head"
        if self.tail % 8 or self.head % 8:
            return "its positions are not multiples of 8"
        return None

    def claimed(self, position):
        """The size of the unfinished record there, by the deepest level's note; 0: none."""
        for offset, size in reversed(self.claims):
            if size >= HEADER and offset == position:
                return size
        return 0

    def bytes_at(self, position, size):
        return self.bytes[position - self.tail : position - self.tail + size]

    def walk(self):
        at = self.tail
        while at < self.head:
            claim = self.claimed(at)
            size = claim or struct.unpack_from("<H", self.bytes_at(at, HEADER), 6)[0]
            if not HEADER <= size <= min(RECORD_MAX, self.head - at) or size % 8:
                self.damaged = at
                return
            if claim:
                self.unfinished.append((at, size))
            else:
                self.records.append(self.bytes_at(at, size))
                self.inside += bool(self.unfinished)
            at += size

    def adds_up(self):
        """Counters may be ahead by two for each active writer."""
        accounted = len(self.records) + len(self.unfinished) + self.overwritten + self.dropped
        return 0 <= self.produced - accounted <= 2 * self.nest

    def account(self):
        """The findings, in lines."""
        if self.fault:
            return ["CPU %d: the ring is damaged: %s" % (self.cpu, self.fault)]
        lines = ["CPU %d: %d records, %d of them inside an unfinished one; %d unfinished, "
                 "%d overwritten, %d dropped" % (self.cpu, len(self.records), self.inside,
                                                 len(self.unfinished), self.overwritten,
                                                 self.dropped)]
        if self.foreign:
            lines.append("CPU %d: %d records of no event of this recording were left out"
                         % (self.cpu, self.foreign))
        if self.damaged is not None:
            lines.append("CPU %d: no record at %d: the %d bytes from there on were left out"
                         % (self.cpu, self.damaged, self.head - self.damaged))
        elif self.overwrites and not self.adds_up():
            lines.append("CPU %d: the account does not close: %d were produced; something has "
                         "written over the ring" % (self.cpu, self.produced))
        if not self.overwrites and self.tail:
            lines.append("CPU %d: what came before has left by the machine's own stream" % self.cpu)
        return lines


def rings(memory, described):
    """Of the CPUs that record."""
    found = []
    for cpu in range(described.ring_count):
        address = described.rings + cpu * described.ring_stride
        place = memory.u64(address + described.ring.bytes)
        if place:
            found.append(Ring(memory, described.ring, cpu, address, place))
    return found
