# SPDX-License-Identifier: BSD-2-Clause
#
# The kernel's variables, by the debug information of its file: gdb knows where they are and what
# they are made of, Memory what is in them now. The recording needs none of this: it describes
# itself (recorder.py).

from types import SimpleNamespace

import gdb

from pitot.refusal import Refusal

MASK = (1 << 64) - 1


def evaluate(expression):
    """Of constants and addresses alone: nothing of the machine is read."""
    try:
        return gdb.parse_and_eval(expression)
    except gdb.error as error:
        raise Refusal("%s: not a kernel with Pitot's debug information (%s)" % (expression, error))


def address_of(expression):
    return int(evaluate("(unsigned long)&%s" % expression)) & MASK


def variable(memory, expression):
    """What is in it: numbers, bytes for char arrays, lists, and structures, which know where they lie."""
    pointer = evaluate("&%s" % expression)
    return value(memory, int(pointer) & MASK, pointer.type.target())


def structure(memory, name, address):
    try:
        kind = gdb.lookup_type("struct " + name)
    except gdb.error as error:
        raise Refusal("struct %s: not a kernel with Pitot's debug information (%s)" % (name, error))
    return value(memory, address, kind)


def value(memory, address, kind):
    kind = kind.strip_typedefs()
    if kind.code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
        fields = {field.name: value(memory, address + field.bitpos // 8, field.type)
                  for field in kind.fields()}
        return SimpleNamespace(lies_at=address, **fields)
    if kind.code == gdb.TYPE_CODE_ARRAY:
        return array(memory, address, kind)
    raw = memory.read(address, kind.sizeof)
    if kind.code == gdb.TYPE_CODE_ENUM:
        return enumerator(kind, int.from_bytes(raw, "little"))
    return int.from_bytes(raw, "little", signed=kind.code == gdb.TYPE_CODE_INT and is_signed(kind))


def array(memory, address, kind):
    low, high = kind.range()
    element = kind.target().strip_typedefs()
    count = high - low + 1
    if element.sizeof == 1:
        return memory.read(address, count)
    return [value(memory, address + i * element.sizeof, element) for i in range(count)]


def is_signed(kind):
    return not kind.name or not kind.name.startswith(("unsigned", "char"))


def enumerator(kind, number):
    """Its name; the number where it is none."""
    for field in kind.fields():
        if field.enumval == number:
            return field.name
    return str(number)
