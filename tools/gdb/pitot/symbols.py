# SPDX-License-Identifier: BSD-2-Clause
#
# Formats addresses by gdb's symbols. Does not read the machine.

import os

import gdb

known = {}


def name_of(address):
    """lock_kernel+0x18, or "". Cached until gdb's files change."""
    if not known:
        gdb.events.clear_objfiles.connect(lambda event: known.clear())
        gdb.events.new_objfile.connect(lambda event: known.clear())
    if address not in known:
        said = gdb.execute("info symbol %#x" % address, to_string=True).strip()
        found, section, _ = said.partition(" in section ")
        name, plus, offset = found.partition(" + ")
        known[address] = (name, int(offset) if plus else 0) if section else None
    if known[address] is None:
        return ""
    name, offset = known[address]
    return "%s+%#x" % (name, offset) if offset else name


def place_of(address):
    """The name, or the number."""
    return name_of(address) or "%#x" % address


def caller_of(address):
    """Of a return address, by the call before it, which may end its function."""
    name, _, offset = name_of(address - 1).partition("+")
    return "%s+%#x" % (name, int(offset or "0", 16) + 1) if name else "%#x" % address


def function_of(address):
    return name_of(address).partition("+")[0]


def line_of(address):
    """kernel/lock/kernel_lock.c:30, or ""."""
    found = gdb.find_pc_line(address)
    return "%s:%d" % (path_of(found), found.line) if found.symtab and found.line else ""


def source_of(address):
    """kernel/lock/kernel_lock.c, or ""."""
    return path_of(gdb.find_pc_line(address))


def path_of(found):
    """clang's begin with a dot."""
    return os.path.normpath(found.symtab.filename) if found.symtab else ""
