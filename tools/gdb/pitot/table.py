# SPDX-License-Identifier: BSD-2-Clause
#
# The kernel's unwind table, from its memory: core/abi/unwind_table.h, with the look-up of
# core/unwind/table.c. docs/unwinding.md draws it.

import struct
import zlib
from types import SimpleNamespace

from pitot import Refusal
from pitot.layout import address_of

MAGIC, VERSION, HEADER = 0x57554E50, 2, "<II20sIQII8I"
SUM_AT = 44
BLOCK_SHIFT = 7
WORDS_MASK, SAVED_SHIFT = 0x1F, 5
LIST, EXCEPTION = 0xC0, 0xFF

NONE, CALL, TRAP, TRAP_REGS, OUTERMOST = range(5)
NOWHERE, AT_CFA, AT_FRAME = range(3)
FRAME_POINTER, STACK_POINTER = 6, 7


class Table:
    def __init__(self, memory):
        start = address_of("unwind_table_start")
        header = struct.unpack(HEADER, memory.read(start, struct.calcsize(HEADER)))
        magic, version, _, size, self.text, self.text_size, total = header[:7]
        if magic != MAGIC or version != VERSION:
            raise Refusal("the kernel's unwind table is damaged, or of another version than %d: "
                          "gdb's own `bt` needs none" % VERSION)
        room = address_of("unwind_table_end") - start
        self.bytes = memory.read(start, size) if size <= room else b""
        whole = self.bytes[:SUM_AT] + bytes(4) + self.bytes[SUM_AT + 4 :]
        if not self.bytes or zlib.crc32(whole) != total:
            raise Refusal("the kernel's unwind table has been written over: "
                          "gdb's own `bt` needs none")
        self.exception_count = header[10]
        self.blocks, self.rows, self.rules, self.exceptions = header[11:15]

    def take(self, form, at):
        return struct.unpack_from("<" + form, self.bytes, at)

    def code(self, offset):
        """The code for a byte, by its offset in the text."""
        here, after = self.take("II", self.blocks + 4 * (offset >> BLOCK_SHIFT))
        code = here & 0xFF
        for i in range(here >> 8, after >> 8):
            holds, start = self.take("BB", self.rows + 2 * i)
            if start > offset & (1 << BLOCK_SHIFT) - 1:
                break
            code = holds
        return code

    def rule(self, offset):
        code = self.code(offset)
        if code == EXCEPTION:
            return self.listed(self.exception(offset))
        if code >= LIST:
            return self.listed(code - LIST)
        saved = code >> SAVED_SHIFT
        return SimpleNamespace(kind=CALL, base=STACK_POINTER, indirect=0,
                               cfa_offset=8 * ((code & WORDS_MASK) + 1),
                               saved=AT_CFA if saved else NOWHERE,
                               saved_offset=-8 * (saved + 1))

    def listed(self, number):
        names = ("kind", "base", "saved", "indirect", "cfa_offset", "saved_offset")
        return SimpleNamespace(**dict(zip(names, self.take("BBBBii", self.rules + 12 * number))))

    def exception(self, offset):
        """The rule of the last exception at or below the offset."""
        found = 0
        for i in range(self.exception_count):
            at, rule = self.take("II", self.exceptions + 8 * i)
            if at > offset:
                break
            found = rule
        return found
