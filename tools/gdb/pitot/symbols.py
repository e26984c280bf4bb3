# SPDX-License-Identifier: BSD-2-Clause
#
# Addresses in words, as gdb knows them. Nothing of the machine is read.

import os

import gdb

known = {}


def name_of(address):
    """lock_kernel+0x18, or nothing. The names of a file that gdb has given up are forgotten."""
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
    """The same, and for what has no name the number."""
    return name_of(address) or "%#x" % address


def caller_of(address):
    """Of a return address: the call before it may be the last instruction of its function."""
    name, _, offset = name_of(address - 1).partition("+")
    return "%s+%#x" % (name, int(offset or "0", 16) + 1) if name else "%#x" % address


def function_of(address):
    return name_of(address).partition("+")[0]


def line_of(address):
    """kernel/lock/kernel_lock.c:30, or nothing."""
    found = gdb.find_pc_line(address)
    return "%s:%d" % (path_of(found), found.line) if found.symtab and found.line else ""


def source_of(address):
    """kernel/lock/kernel_lock.c, or nothing."""
    return path_of(gdb.find_pc_line(address))


def path_of(found):
    """clang's begin with a dot."""
    return os.path.normpath(found.symtab.filename) if found.symtab else ""
