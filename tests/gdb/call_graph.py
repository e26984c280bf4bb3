# SPDX-License-Identifier: BSD-2-Clause
#
# Which functions of the kernel may call which, also through pointers: for tests/host/hit_text.t.
#
#     gdb -nx -batch -x tests/gdb/call_graph.py build/pitot.elf
#
# prints lines
#
#     function ADDRESS NAME
#     call ADDRESS ADDRESS [STRUCTURE or STRUCTURE.MEMBER: TYPE]
#
# The last form is for calls through a pointer of that type. Direct calls are those in the code. A
# function with an indirect call may call any function whose address is taken somewhere, by code or
# by a word of data, and whose type is that of a pointer the function can reach: by its variables,
# including those of inlined functions, the objects that it names, what its callees return, and all
# structures that these lead to; for an object of KEPT, only through the member that the code names.
# A pointer that only data stores in a structure's member is called only by functions that can reach
# such a structure. So no call is missed, but some printed ones cannot happen.

import bisect
import collections
import re
import struct
import subprocess

import gdb

KERNEL = gdb.current_progspace().filename
NUMBERS = (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_BOOL, gdb.TYPE_CODE_ENUM)
# No code copies a pointer out of these: each is called as a member of the one object.
KEPT = ("struct pitot_kernel", "struct event_clock_timer")
STRUCTURES = (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION)


def output_of(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


# --- Types. ---

def plain(kind):
    return kind.strip_typedefs().unqualified()


def spell(kind):
    const = "const " if kind.strip_typedefs() != plain(kind) else ""
    kind = plain(kind)
    if kind.code == gdb.TYPE_CODE_PTR:
        return const + spell(kind.target()) + "*"
    return const + (spell_call(kind) if kind.code == gdb.TYPE_CODE_FUNC else str(kind))


def spell_call(kind):
    words = [spell(plain(field.type)) for field in kind.fields()]
    returns = spell(plain(kind.target())) if kind.target() else "void"
    return "%s(%s)" % (returns, ", ".join(words))


def member(kind, field):
    return "%s.%s" % (kind, field.name)


def called_through(kind):
    """The function's type, if it is a pointer to one."""
    kind = plain(kind)
    if kind.code != gdb.TYPE_CODE_PTR or plain(kind.target()).code != gdb.TYPE_CODE_FUNC:
        return None
    return plain(kind.target())


def named_members(kind, offset):
    """As pointers, of the member that begins there; None where the whole object may be meant."""
    kind = plain(kind)
    for field in kind.fields() if str(kind) in KEPT and offset else ():
        if field.bitpos != offset * 8:
            continue
        if called_through(field.type):
            return {(member(kind, field), spell_call(called_through(field.type)))}
        if plain(field.type).code in NUMBERS:
            return set()
        if plain(field.type).code == gdb.TYPE_CODE_PTR:
            return pointers(field.type, set())
    return None


def pointers(kind, seen, holder=""):
    """(structure, type) of each pointer to a function that a value of this type leads to."""
    kind = plain(kind)
    if kind.code == gdb.TYPE_CODE_PTR:
        target = plain(kind.target())
        if target.code == gdb.TYPE_CODE_FUNC:
            return {(holder, spell_call(target))}
        return pointers(target, seen)
    if kind.code == gdb.TYPE_CODE_ARRAY:
        return pointers(kind.target(), seen, holder)
    if kind.code not in STRUCTURES or str(kind) in seen:
        return set()
    seen.add(str(kind))
    return set().union(*(pointers(field.type, seen, str(kind)) for field in kind.fields()))


def holders_at(kind, offset, holders=()):
    """The innermost structure at that offset of an object of this type, and its member there."""
    kind = plain(kind)
    if kind.code == gdb.TYPE_CODE_ARRAY:
        return holders_at(kind.target(), offset % kind.target().sizeof, holders)
    for field in kind.fields() if kind.code in STRUCTURES else ():
        start = field.bitpos // 8
        if start <= offset < start + field.type.sizeof:
            return holders_at(field.type, offset - start, (str(kind), member(kind, field)))
    return holders


# --- The code. ---

class Code:
    """From the instructions: names, direct calls, addresses, and who calls by a pointer."""

    def __init__(self):
        self.names, self.calls, self.objects = {}, collections.defaultdict(set), {}
        self.indirect = set()
        for line in output_of("objdump", "-d", "--no-show-raw-insn", "-j", ".text",
                              KERNEL).splitlines():
            self.read(line)
        self.starts = sorted(self.names)

    def read(self, line):
        begins = re.match(r"([0-9a-f]+) <(\S+)>:$", line)
        if begins:
            self.at = int(begins[1], 16)
            self.names[self.at] = begins[2]
            self.objects[self.at] = set()
            return
        goes = re.search(r"\t(?:call|j\w+) +([0-9a-f]+) <", line)
        if goes:
            self.calls[self.at].add(int(goes[1], 16))
            return
        if re.search(r"\t(?:call|jmp) +\*", line):
            self.indirect.add(self.at)
        for sign, number in re.findall(r"(-?)(?:0x|# )([0-9a-f]{8,})", line):
            address = -int(number, 16) if sign else int(number, 16)
            self.objects[self.at].add(address % (1 << 64))

    def function_of(self, address):
        return self.starts[bisect.bisect_right(self.starts, address) - 1]

    def end_of(self, start):
        after = bisect.bisect_right(self.starts, start)
        return self.starts[after] if after < len(self.starts) else start + 1


def blocks_of(start, end):
    """gdb's blocks of a function, those of inlined ones and the files' included."""
    seen = set()
    for address in range(start, end):
        block = gdb.block_for_pc(address)
        while block is not None:
            key = (block.start, block.end, block.is_static, block.is_global)
            if key in seen:
                break
            seen.add(key)
            yield block
            block = block.superblock


class Debug:
    """From the debug information: functions and objects."""

    def __init__(self, code):
        self.types, self.locals, self.objects = {}, collections.defaultdict(list), {}
        for start in code.starts:
            for block in blocks_of(start, code.end_of(start)):
                self.note(start, block)
        self.starts = sorted(self.objects)

    def note(self, start, block):
        of_file = block.is_static or block.is_global
        # An inlined function may also begin there.
        if block.function and block.start == start and block.superblock.is_static:
            self.types[start] = block.function.type
        for symbol in block:
            if symbol.type is None:
                continue
            if not of_file:
                self.locals[start].append(symbol.type)
            if symbol.is_variable and symbol.addr_class == gdb.SYMBOL_LOC_STATIC:
                self.objects[int(symbol.value().address)] = symbol.type

    def object_at(self, address):
        """Where the object begins that has this byte, and its type; or None."""
        before = bisect.bisect_right(self.starts, address)
        start = self.starts[before - 1] if before else None
        if start is None or address >= start + max(self.objects[start].sizeof, 1):
            return None
        return start, self.objects[start]


def words_of_data():
    with open(KERNEL, "rb") as file:
        image = file.read()
    for section in re.finditer(r"\] (?:\.data|\.rodata|commands|tracepoints) +PROGBITS +"
                               r"([0-9a-f]+) ([0-9a-f]+) ([0-9a-f]+)",
                               output_of("readelf", "-SW", KERNEL)):
        address, offset, size = (int(number, 16) for number in section.groups())
        for at in range(0, size - 7, 8):
            yield address + at, struct.unpack_from("<Q", image, offset + at)[0]


def find_taken(code, debug):
    """
    By (structure, type) and (member, type): the functions whose addresses are there; None is any
    structure, "" none.
    """
    taken = collections.defaultdict(set)
    for named in code.objects.values():
        for address in named & debug.types.keys():
            taken[None, spell_call(debug.types[address])].add(address)
    for at, address in words_of_data():
        if address in debug.types:
            found = debug.object_at(at)
            for holder in holders_at(found[1], at - found[0]) or ("",) if found else (None,):
                taken[holder, spell_call(debug.types[address])].add(address)
    return taken


def find_pointers(code, debug, function):
    kinds, seen, named = list(debug.locals[function]), set(), set()
    for address in code.objects[function]:
        found = debug.object_at(address)
        alone = named_members(found[1], address - found[0]) if found else None
        if alone is not None:
            named |= alone
        elif found:
            kinds.append(found[1])
    for callee in {code.function_of(address) for address in code.calls[function]}:
        if callee in debug.types and debug.types[callee].target():
            kinds.append(debug.types[callee].target())
    return named.union(*(pointers(kind, seen) for kind in kinds))


def main():
    code = Code()
    debug = Debug(code)
    taken = find_taken(code, debug)
    for address, name in code.names.items():
        print("function %x %s" % (address, name))
    for function in code.names:
        for callee in {code.function_of(address) for address in code.calls[function]}:
            print("call %x %x" % (function, callee))
        if function not in code.indirect:
            continue
        for holder, kind in find_pointers(code, debug, function):
            for callee in taken[holder, kind] | taken[None, kind]:
                print("call %x %x %s: %s" % (function, callee, holder or "a pointer", kind))


main()
