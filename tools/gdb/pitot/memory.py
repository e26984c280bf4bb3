# SPDX-License-Identifier: BSD-2-Clause
#
# The memory of gdb's machine, by the kernel's addresses. Pages are cached, as the machine is
# stopped and a stub answers 2 KiB at a time. Each command makes a new one.

import struct

import gdb

from pitot.dump import Dump
from pitot.refusal import Refusal

PAGE = 4096
TEXT_MAX = 256
END = 1 << 64  # of all addresses


class Unreadable(Refusal):
    """The address is not mapped."""


class Memory:
    def __init__(self):
        self.pages = {}
        self.dump = None  # gdb would fill gaps of a dump from the ELF file
        connection = gdb.selected_inferior().connection
        if connection and connection.type == "core":
            self.dump = Dump(core_file())

    def page(self, address):
        if address not in self.pages:
            self.pages[address] = self.fetch(address)
        return self.pages[address]

    def fetch(self, address):
        if self.dump:
            return self.dump.page(address)
        try:
            return bytes(gdb.selected_inferior().read_memory(address, PAGE))
        except gdb.error:
            return None

    def read(self, address, size):
        parts = []
        at, end = address, address + size
        if not 0 <= at <= end <= END:
            raise Unreadable("there is no address %#x" % address)
        while at < end:
            page = self.page(at - at % PAGE)
            if page is None:
                raise Unreadable("nothing can be read at %#x" % at)
            part = page[at % PAGE : at % PAGE + end - at]
            parts.append(part)
            at += len(part)
        return b"".join(parts)

    def u64(self, address):
        return struct.unpack("<Q", self.read(address, 8))[0]

    def u32(self, address):
        return struct.unpack("<I", self.read(address, 4))[0]

    def u16(self, address):
        return struct.unpack("<H", self.read(address, 2))[0]

    def text(self, address, most=TEXT_MAX):
        """The string there, cut if longer; does not read far past its end."""
        found = b""
        while b"\0" not in found and len(found) < most:
            found += self.read(address + len(found), min(16 - (address + len(found)) % 16, most))
        return printable(found.split(b"\0")[0][:most])


def printable(text):
    """Bytes as text for a terminal."""
    return "".join(chr(byte) if 32 <= byte < 127 else "?" for byte in text)


def core_file():
    """gdb 13 has no other way to get it."""
    for line in gdb.execute("info files", to_string=True).splitlines():
        line = line.strip()
        if line.startswith("`") and "', file type" in line:
            return line[1:].split("', file type")[0]
    raise Refusal("gdb does not say which dump that is: give it by `core-file DUMP`")
