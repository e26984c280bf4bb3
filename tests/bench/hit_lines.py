# SPDX-License-Identifier: BSD-2-Clause
#
# Which memory a hit reads: run by gdb at the first instruction of breakpoint_trap, with a watch of
# one register and one owner that fires. Steps to its return, decodes each instruction's operand,
# and prints the cache lines of the structures on the hit's path, for tests/bench/hit_lines.pl:
#
#     line OBJECT NUMBER: MEMBER at OFFSET, ...
#     beside LINES NAME
#
# Names and offsets are from the debug information. The stack and GS are left out.
import re

import gdb

LINE = 64
OPERAND = re.compile(r"\[(.*?)\](?:\s*# (0x[0-9a-f]+))?")


def value(expression):
    return int(gdb.parse_and_eval(expression)) & (1 << 64) - 1


def accessed(text):
    """The address of an instruction's memory operand, in Intel's spelling, or None."""
    if text.startswith(("rep", "movs", "stos", "cmps")):
        raise gdb.GdbError("a string instruction, which reads more than is looked at: " + text)
    found = OPERAND.search(text)
    if not found or "gs:" in text or text.startswith("lea") or re.search(r"\bnop\b", text):
        return None
    if found.group(2):
        return int(found.group(2), 16)
    return value(re.sub(r"\br\w+", r"(unsigned long)$\g<0>", found.group(1)))


def member(kind, offset):
    """What the debug information calls the byte at that offset."""
    kind = kind.strip_typedefs()
    if kind.code == gdb.TYPE_CODE_ARRAY:
        element = kind.target()
        inner = member(element, offset % element.sizeof)
        return "%d%s" % (offset // element.sizeof, "." + inner if inner else "")
    if kind.code != gdb.TYPE_CODE_STRUCT:
        return ""
    for field in kind.fields():
        start = field.bitpos // 8
        if start <= offset < start + field.type.sizeof:
            inner = member(field.type, offset - start)
            return field.name + ("." + inner if inner else "")
    return "?"


def objects():
    """What the hit's path leads to, as name, type, address; and the bytes of its ring."""
    handler = gdb.parse_and_eval("&handlers[(unsigned)$rdi]")
    owner, slot, cpu = handler["owner"], handler["slot"], 0
    before = value("(long)&((struct event *)0)->breakpoint")
    event = gdb.Value(int(owner) - before).cast(gdb.lookup_type("struct event").pointer())
    pointers = {"struct handler": handler, "struct event": event, "struct slot": slot,
                "struct event_cpu": event["cpu"] + cpu, "struct ring": event["rings"] + cpu}
    ring = pointers["struct ring"]
    start = int(ring["bytes"]) & (1 << 64) - 1
    return [(name, pointer.type.target(), int(pointer) & (1 << 64) - 1)
            for name, pointer in pointers.items()], range(start, start + int(ring["size"]))


def trace():
    """The addresses that are read or written, each once, in order; without the stack's."""
    gdb.execute("set disassembly-flavor intel")
    top, seen = value("$rsp"), {}
    architecture = gdb.selected_frame().architecture()
    while value("$rsp") <= top:
        at = accessed(architecture.disassemble(value("$rip"))[0]["asm"])
        if at is not None and not top - 4096 < at < top + 4096:
            seen[at] = True
        gdb.execute("stepi")
    return list(seen)


def main():
    known, ring = objects()
    lines, others = {}, {}
    for at in trace():
        for name, kind, start in known:
            if start <= at < start + kind.sizeof:
                offset = at - start
                words = lines.setdefault((name, offset // LINE), {})
                words[offset] = member(kind, offset)
                break
        else:
            symbol = gdb.execute("info symbol %#x" % at, to_string=True).split()
            named = "the record" if at in ring else symbol[0] if symbol[0] != "No" else "memory"
            others.setdefault(named, set()).add(at // LINE)
    for (name, line), words in sorted(lines.items()):
        print("line %s %d: %s" % (name, line, ", ".join(
            "%s at %d" % (words[offset], offset) for offset in sorted(words))))
    for name, used in sorted(others.items()):
        print("beside %d %s" % (len(used), name))


main()
