# SPDX-License-Identifier: BSD-2-Clause
#
# The memory of gdb's machine, by the kernel's addresses. Pieces are cached, as the machine is
# stopped. A serial line takes up to half a minute for a MiB, so no more is read than is needed, in
# few packets, and as bytes where the stub can (the kernel's own); what takes long is announced.
# Each command makes a new one.

import re
import struct
import time

import gdb

from pitot import Refusal
from pitot.dump import Dump

PAGE = 4096
PIECE = 512  # of a page that a stub is asked for
AT_ONCE = 1 << 14  # bytes
PACKET = 2048
PATIENCE = 3  # seconds until a person is told
TEXT_MAX = 256
END = 1 << 64  # of all addresses


class Unreadable(Refusal):
    """The address is not mapped."""


class Memory:
    def __init__(self):
        self.pieces = {}  # None: not mapped
        self.dump = None  # gdb would fill gaps of a dump from the ELF file
        connection = gdb.selected_inferior().connection
        if connection and connection.type == "core":
            self.dump = Dump(core_file())
        self.piece = PAGE if self.dump else PIECE
        self.stub = connection if sends_bytes(connection) else None

    def fetch(self, address, size):
        """None if not all of it is mapped."""
        try:
            if self.dump:
                return self.dump.page(address)
            if self.stub:
                return b"".join(bytes_by_packet(self.stub, at, min(PACKET, address + size - at))
                                for at in range(address, address + size, PACKET))
            return bytes(gdb.selected_inferior().read_memory(address, size))
        except gdb.error:
            return None

    def load(self, first, end, what):
        """Fetches the pieces in between that are missing."""
        missing = [at for at in range(first, end, self.piece) if at not in self.pieces]
        began, told = time.monotonic(), False
        while missing:
            count = 1
            while (not self.dump and count < min(len(missing), AT_ONCE // PIECE)
                   and missing[count] == missing[0] + count * PIECE):
                count += 1
            found = self.fetch(missing[0], count * self.piece)
            if found is None and count > 1:  # from where on?
                count, found = 1, self.fetch(missing[0], PIECE)
            for i in range(count):
                part = slice(i * self.piece, (i + 1) * self.piece)
                self.pieces[missing[i]] = found and found[part]
            if found is None:
                return
            del missing[:count]
            if missing and not told and time.monotonic() - began > PATIENCE:
                told = True
                gdb.write("pitot: reads %s: %d KiB are left\n"
                          % (what, len(missing) * self.piece // 1024), gdb.STDERR)
                gdb.flush(gdb.STDERR)

    def read(self, address, size, what="memory"):
        parts = []
        at, end = address, address + size
        if not 0 <= at <= end <= END:
            raise Unreadable("there is no address %#x" % address)
        self.load(at - at % self.piece, end, what)
        while at < end:
            piece = self.pieces.get(at - at % self.piece)
            if piece is None:
                raise Unreadable("nothing can be read at %#x" % at)
            part = piece[at % self.piece : at % self.piece + end - at]
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


def sends_bytes(connection):
    """gdb itself reads digits, two for a byte, before gdb 16."""
    if not isinstance(connection, getattr(gdb, "RemoteTargetConnection", ())):
        return False
    try:
        return connection.send_packet("x0,0") == b"b"
    except gdb.error:
        return False


def bytes_by_packet(stub, address, size):
    """Asks again for what had no room."""
    found = b""
    while len(found) < size:
        answer = stub.send_packet("x%x,%x" % (address + len(found), size - len(found)))
        if answer[:1] != b"b" or len(answer) == 1:
            raise gdb.error("nothing can be read at %#x" % (address + len(found)))
        found += re.sub(b"}(.)", lambda one: bytes((one[1][0] ^ 0x20,)), answer[1:], flags=re.S)
    return found


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
