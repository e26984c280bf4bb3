# SPDX-License-Identifier: BSD-2-Clause
#
# The debug registers: their owners in the arbiter (core/breakpoint/table.c), what is armed
# (arch/x86_64/debug/debugreg.c), and each CPU's registers, if the machine shows them.

import re

import gdb

from pitot.kernel import cpus, registers
from pitot.layout import structure, variable
from pitot.memory import Unreadable, printable
from pitot.symbols import place_of

REGISTERS = 4
NAMES = ("dr0", "dr1", "dr2", "dr3", "dr6", "dr7")
LETTERS = {"ARCH_EXECUTE": "x", "ARCH_WRITE": "w", "ARCH_READ_WRITE": "rw"}
GLOBAL = 2  # DR7's bit that arms register 0; two bits per register


def arbiter(memory):
    """A line per register."""
    table = variable(memory, "'core/breakpoint/table.c'::breakpoint_slots")
    used = min(table.count, REGISTERS)
    lines = []
    if table.count > REGISTERS:
        lines.append("the arbiter's table is damaged: it has %d registers" % table.count)
    for i, slot in enumerate(table.slot):
        lines.append("dr%d  %s" % (i, slot_in_words(memory, slot) if i < used else "free"))
    return lines


def slot_in_words(memory, slot):
    owners = [owner_name(memory, owner) for owner in slot.owners[: slot.owner_count]]
    return "%s %s for %s" % (watch_in_words(slot.watch), place_of(slot.watch.address),
                             ", ".join(owners) or "no owner")


def watch_in_words(watch):
    return "%#x/%d:%s" % (watch.address, watch.length, LETTERS.get(watch.access, watch.access))


def owner_name(memory, address):
    try:
        return printable(structure(memory, "breakpoint", address).owner.split(b"\0")[0])
    except Unreadable:
        return "an unreadable owner at %#x" % address


def real(memory):
    """A line per CPU."""
    percpu = variable(memory, "'kernel/x86_64/cpu/percpu.c'::percpu")
    shown = shown_registers()
    lines = []
    for cpu in sorted(cpus()):
        if cpu >= len(percpu) or not percpu[cpu].runs:
            lines.append("CPU %d  has not been started" % cpu)
            continue
        area = percpu[cpu]
        why = ", off while it serves a trap" if area.watch_depth else ""
        armed = "armed: %s%s" % (armed_in_words(area.dr7), why)
        has = in_words(shown[cpu]) if cpu in shown else "its registers are not shown here"
        lines.append("CPU %d  %s; %s" % (cpu, armed, has))
    return lines


def armed_in_words(dr7):
    armed = ["dr%d" % i for i in range(REGISTERS) if dr7 & GLOBAL << 2 * i]
    return " ".join(armed) or "none"


def in_words(registers):
    return " ".join("%s=%x" % (name, registers[name]) for name in sorted(registers))


def shown_registers():
    """By CPU and name: from the stub, or from QEMU's monitor."""
    found = {}
    for cpu in cpus():
        for name in NAMES:
            try:
                found.setdefault(cpu, {}).update(registers(cpu, (name,)))
            except gdb.error:
                pass  # gdb knows the register; this stub does not have it
    return found if any(found.values()) else monitor_registers()


def monitor_registers():
    try:
        said = gdb.execute("monitor info registers -a", to_string=True)
    except gdb.error:
        said = ""
    found = {}
    form = re.compile(r"^CPU#(\d+)\n((?:(?!CPU#).*\n)*)", re.M)
    for number, text in form.findall(said.replace("\r", "")):
        pairs = re.findall(r"\b(DR[0-367])=([0-9a-f]{16})", text)
        if pairs:
            found[int(number)] = {name.lower(): int(value, 16) for name, value in pairs}
    return found
