# SPDX-License-Identifier: BSD-2-Clause
#
# The kernel's variables: gdb has their places and types from debug information, Memory their
# contents. The recording does not need this, as it describes itself (recorder.py).

from functools import lru_cache
from types import SimpleNamespace

import gdb

from pitot import Refusal

MASK = (1 << 64) - 1


def evaluate(expression):
    """Of constants and addresses only: does not read the machine."""
    try:
        return gdb.parse_and_eval(expression)
    except gdb.error as error:
        raise Refusal("%s: not a kernel with Pitot's debug information (%s)" % (expression, error))


def fields_of(name):
    """The type's fields with their offsets, and its size, in words."""
    try:
        of = gdb.lookup_type(name)
    except gdb.error as error:
        raise Refusal("%s: not a kernel with Pitot's debug information (%s)" % (name, error))
    return {field.name: field.bitpos // 64 for field in of.fields()}, of.sizeof // 8


@lru_cache(maxsize=None)  # an ABI is the same in each kernel
def enumerators(name, prefix):
    """Names without the prefix, by number; the first of several."""
    try:
        of = gdb.lookup_type("enum " + name).fields()
    except gdb.error as error:
        raise Refusal("enum %s: not a kernel with Pitot's debug information (%s)" % (name, error))
    names = {}
    for field in of:
        names.setdefault(field.enumval, field.name[len(prefix):])
    return names


def general_registers():
    """General registers, as fields of struct regs, in order of their DWARF numbers."""
    names = enumerators("register_number", "REGISTER_")
    return [names[number] for number in sorted(names)]


def address_of(expression):
    return int(evaluate("(unsigned long)&%s" % expression)) & MASK


def variable(memory, expression):
    """Its value: a number, an enumerator's name, bytes for a char array, a list, or a structure
    with its address."""
    pointer = evaluate("&%s" % expression)
    return value(memory, int(pointer) & MASK, pointer.type.target())


def structure(memory, name, address):
    try:
        kind = gdb.lookup_type("struct " + name)
    except gdb.error as error:
        raise Refusal("struct %s: not a kernel with Pitot's debug information (%s)" % (name, error))
    return value(memory, address, kind)


def value(memory, address, kind):
    return decoder(kind)(memory.read(address, kind.sizeof), 0, address)


def decoder(kind):
    """A function from bytes, an offset in them, and the address of the first, to a value. Made once
    per type: asking gdb for each field of each element would take seconds."""
    kind = kind.strip_typedefs()
    if kind.code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
        return of_structure(kind)
    if kind.code == gdb.TYPE_CODE_ARRAY:
        return of_array(kind)
    size = kind.sizeof
    if kind.code == gdb.TYPE_CODE_ENUM:
        names = {field.enumval: field.name for field in kind.fields()}
        return lambda raw, at, address: enumerator(names, integer(raw, at, size))
    return lambda raw, at, address: integer(raw, at, size)


def integer(raw, at, size):
    return int.from_bytes(raw[at : at + size], "little")


def of_structure(kind):
    fields = [(field.name, field.bitpos // 8, decoder(field.type)) for field in kind.fields()]
    return lambda raw, at, address: SimpleNamespace(
        lies_at=address + at,
        **{name: decode(raw, at + offset, address) for name, offset, decode in fields})


def of_array(kind):
    low, high = kind.range()
    element = kind.target().strip_typedefs()
    count, size = high - low + 1, element.sizeof
    if size == 1:
        return lambda raw, at, address: raw[at : at + count]
    decode = decoder(element)
    return lambda raw, at, address: [decode(raw, at + i * size, address) for i in range(count)]


def enumerator(names, number):
    """Its name, or the number."""
    return names.get(number, str(number))
