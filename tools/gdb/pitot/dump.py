# SPDX-License-Identifier: BSD-2-Clause
#
# A file of QEMU's `dump-guest-memory`, with or without `-p`: physical memory, and a note for each
# CPU. Addresses are translated by the page tables of the first CPU, as in tools/postmortem/dump.c,
# which names the sources of both layouts.

import mmap
import struct

from pitot import Refusal

PAGE = 4096
PT_LOAD, PT_NOTE = 1, 4
NOTE_NAME = b"QEMU\0"
# Version and size, 32 bits each; 18 general registers, 10 segments, CR0 to CR4.
NOTE_CR0 = 8 + 18 * 8 + 10 * 24
NOTE_END = NOTE_CR0 + 5 * 8
CR0_PAGING, CR4_LA57 = 1 << 31, 1 << 12
ENTRY_THERE, ENTRY_LARGE, ENTRY_FRAME = 1, 1 << 7, 0x000FFFFFFFFFF000
LARGEST_LEAF = 3


class Dump:
    def __init__(self, path):
        self.path = path
        try:
            with open(path, "rb") as file:
                self.bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError) as error:
            raise Refusal("%s: %s" % (path, error))
        self.segments = []
        control = None
        for kind, offset, physical, size in self.program_headers():
            if kind == PT_LOAD and (physical, offset, size) not in self.segments:
                self.segments.append((physical, offset, size))
            if kind == PT_NOTE and control is None:
                control = first_control(self.bytes[offset : offset + size])
        if control is None:
            raise Refusal("%s: a core file without QEMU's note of a CPU: "
                          "`dump-guest-memory FILE` in QEMU's monitor makes one" % path)
        if not control[0] & CR0_PAGING:
            raise Refusal("%s: a dump of a machine without paging: no kernel runs there yet" % path)
        self.table, self.levels = control[3], 5 if control[4] & CR4_LA57 else 4

    def program_headers(self):
        """Kind, offset, physical address and size in the file."""
        if len(self.bytes) < 64 or self.bytes[:6] != b"\x7fELF\x02\x01":
            raise Refusal("%s: not a dump of a machine in 64-bit mode" % self.path)
        start, sections = struct.unpack_from("<QQ", self.bytes, 32)
        size, count = struct.unpack_from("<HH", self.bytes, 54)
        if count == 0xFFFF and sections + 48 <= len(self.bytes):
            count = struct.unpack_from("<I", self.bytes, sections + 44)[0]
        if size < 56 or start + size * count > len(self.bytes):
            raise Refusal("%s: the dump is cut" % self.path)
        for i in range(count):
            kind, _, offset, _, physical, length = struct.unpack_from(
                "<IIQQQQ", self.bytes, start + i * size)
            yield kind, offset, physical, length

    def physical(self, address, size):
        """Bytes within a page; None: not in the dump."""
        for start, offset, length in self.segments:
            if start <= address and address + size <= start + length:
                at = offset + address - start
                found = self.bytes[at : at + size]
                return found if len(found) == size else None
        return None

    def page(self, address):
        """The page at this address; None: not mapped."""
        entry = self.table
        for level in range(self.levels, 0, -1):
            shift = 12 + 9 * (level - 1)
            slot = self.physical((entry & ENTRY_FRAME) + (address >> shift & 511) * 8, 8)
            entry = struct.unpack("<Q", slot)[0] if slot else 0
            if not entry & ENTRY_THERE:
                return None
            if level == 1 or (level <= LARGEST_LEAF and entry & ENTRY_LARGE):
                inside = (1 << shift) - 1
                return self.physical((entry & ENTRY_FRAME & ~inside) | (address & inside), PAGE)
        return None


def first_control(notes):
    """CR0 to CR4 of the first CPU: notes are in order of CPUs."""
    at = 0
    while at + 12 <= len(notes):
        name_size, size, _ = struct.unpack_from("<III", notes, at)
        name = notes[at + 12 : at + 12 + name_size]
        content = at + 12 + (name_size + 3) // 4 * 4
        if name == NOTE_NAME and size >= NOTE_END and content + NOTE_END <= len(notes):
            return struct.unpack_from("<5Q", notes, content + NOTE_CR0)
        at = content + (size + 3) // 4 * 4
    return None
