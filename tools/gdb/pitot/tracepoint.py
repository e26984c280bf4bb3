# SPDX-License-Identifier: BSD-2-Clause
#
# Formats a tracepoint's record: the kernel has each field's offset and its part of the printed line
# (core/pitot_trace.h). Recorded memory is not trusted: what does not fit is omitted.

import re
import struct

from pitot.memory import Unreadable, printable
from pitot.symbols import function_of, place_of

FIELDS_MAX = 8
SIZES = {1: "B", 2: "H", 4: "I", 8: "Q"}
CONVERSION = re.compile(r"%([-0 #]*)(\d*)(?:l{0,2})(pS|ps|p|u|x|d|s|%)")


class Tracepoints:
    def __init__(self, memory, described):
        self.memory, self.layout = memory, described.tracepoint
        self.first, self.end = described.tracepoints, described.tracepoints_end
        self.known = {}

    def fields(self, number):
        """Print, offset and size of each field; ids begin at 1. None: it is damaged."""
        if number not in self.known:
            try:
                self.known[number] = self.read(number)
            except Unreadable:
                self.known[number] = None
        return self.known[number]

    def read(self, number):
        place = self.first + 8 * (number - 1)
        if number < 1 or place >= self.end:
            return None
        layout, memory = self.layout, self.memory
        address = memory.u64(place)
        count = memory.u32(address + layout.field_count)
        first = memory.u64(address + layout.fields)
        if count > FIELDS_MAX:
            return None
        starts = [first + i * layout.field_stride for i in range(count)]
        return [(memory.text(memory.u64(start + layout.field_print)),
                 memory.u16(start + layout.field_offset), memory.u16(start + layout.field_size))
                for start in starts]

    def in_words(self, number, raw):
        fields = self.fields(number)
        if fields is None:
            return "(what describes its fields is damaged)"
        return "".join(field_in_words(*field, raw) for field in fields)


def field_in_words(text, offset, size, raw):
    bytes_there = raw[offset : offset + size]
    if len(bytes_there) < size:
        return ""
    return CONVERSION.sub(lambda found: converted(found, bytes_there), text)


def converted(found, raw):
    flags, width, kind = found.groups()
    if kind == "%":
        return "%"
    if kind == "s":
        return ("%" + flags + width + "s") % printable(raw.split(b"\0")[0])
    if len(raw) not in SIZES:
        return "?"
    number = struct.unpack("<" + (SIZES[len(raw)].lower() if kind == "d" else SIZES[len(raw)]), raw)
    if kind == "p":
        return "%#x" % number
    if kind == "ps":
        return function_of(number[0]) or "%#x" % number
    if kind == "pS":
        return place_of(number[0])
    return ("%" + flags + width + ("d" if kind == "u" else kind)) % number
