# SPDX-License-Identifier: BSD-2-Clause
#
# Identifies the kernel in the machine, and reads its CPUs' registers. gdb calls CPUs threads;
# QEMU's stub, its dumps and the kernel's stub number them from 1, so thread n + 1 is CPU n.

import gdb

from pitot import Refusal
from pitot.layout import MASK, address_of, general_registers
from pitot.memory import Memory, Unreadable

MARK = "recorder"
NOTE_HEAD = b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0"  # of a build id


def objfile():
    """The kernel's objfile in gdb."""
    for candidate in gdb.objfiles():
        if candidate.is_valid() and candidate.lookup_global_symbol(MARK):
            return candidate
    raise Refusal("gdb does not have the kernel's file: `file build/pitot.elf` gives it")


def machine():
    """The machine's memory, with this kernel in it."""
    wanted = objfile()
    if gdb.selected_thread() is None:
        raise Refusal("gdb has no machine that stands still: `pitot-attach SOCKET` or "
                      "`target remote SOCKET` attaches to one, `core-file DUMP` reads a dump")
    memory = Memory()
    try:
        note = memory.read(address_of("build_id_note"), len(NOTE_HEAD) + 20)
    except Unreadable:
        note = b""
    if note[: len(NOTE_HEAD)] != NOTE_HEAD:
        raise Refusal("%s is not in the machine's memory: another kernel, or one that has not "
                      "booted yet" % wanted.filename)
    if note[len(NOTE_HEAD) :].hex() != wanted.build_id:
        raise Refusal("the machine has a kernel of build id %s, %s is %s: `file` gives gdb the "
                      "right one" % (note[len(NOTE_HEAD) :].hex(), wanted.filename,
                                     wanted.build_id))
    return memory


def cpu_of(thread):
    return thread.ptid[1] - 1 if thread.ptid[1] else thread.num - 1


def cpus():
    """gdb's threads by CPU."""
    return {cpu_of(thread): thread for thread in gdb.selected_inferior().threads()}


def registers(cpu, names=None):
    """Those that gdb has of a CPU, by name; without `names` the general ones, rip and cs."""
    known = cpus()
    if names is None:
        names = [name if name[1:].isdigit() else "r" + name for name in general_registers()]
        names += ["rip", "cs"]
    if cpu not in known:
        raise Refusal("there is no CPU %d: the machine has %s" % (cpu, words_of(sorted(known))))
    selected, frame = gdb.selected_thread(), selected_frame()
    try:
        known[cpu].switch()
        newest = gdb.newest_frame()
        there = newest.architecture().registers()
        return {name: int(newest.read_register(name).cast(gdb.lookup_type("long"))) & MASK
                for name in names if there.find(name)}
    finally:
        selected.switch()
        if frame and frame.is_valid():
            frame.select()


def selected_frame():
    try:
        return gdb.selected_frame()
    except gdb.error:
        return None


def words_of(numbers):
    """As in "0 to 3"."""
    if len(numbers) > 1 and numbers == list(range(numbers[0], numbers[-1] + 1)):
        return "%d to %d" % (numbers[0], numbers[-1])
    return ", ".join(map(str, numbers))
