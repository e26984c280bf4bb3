# SPDX-License-Identifier: BSD-2-Clause
#
# Call chains by the kernel's unwind table, with the steps of core/unwind/unwind.c and orc.c:
# reads only known stacks, goes only forward, leaves each stack once. So every chain ends.

import struct

from pitot.layout import address_of, fields_of, general_registers, variable
from pitot.memory import Unreadable
from pitot.table import (AT_FRAME, CALL, FRAME_POINTER, NONE, NOWHERE, OUTERMOST, STACK_POINTER,
                         TRAP, TRAP_REGS, Table)

MASK = (1 << 64) - 1
STACKS_LEFT = 4
FRAMES_MAX = 8192  # no stack has more words
USER_RING = 3
STACKS_C = "'kernel/x86_64/entry/stacks.c'::"


class Stack:
    """As in kernel/x86_64/entry/stacks.c: of the boot CPU, or a slot of a thread or another CPU."""

    def __init__(self, described):
        self.guard, self.low, self.high = described.guard, described.low, described.high
        self.address = described.lies_at

    def has(self, address):
        """Includes the top, the pointer of an empty stack."""
        return self.guard < address <= self.high


def stacks(memory):
    described = [variable(memory, STACKS_C + "task")]
    described += variable(memory, STACKS_C + "of_boot_cpu")
    described += variable(memory, "stack_slots")
    return [Stack(one) for one in described if one.high]


class End(Exception):
    """Why a chain ends."""


class Frame:
    """`exact`: execution is at ip; otherwise ip is a return address."""

    def __init__(self, ip, sp, fp, exact):
        self.ip, self.sp, self.fp, self.exact = ip, sp, fp, exact
        self.stack, self.user = None, False

    def place(self):
        return self.ip if self.exact else self.ip - 1


class Unwinder:
    def __init__(self, memory):
        self.fields, self.words = fields_of("struct regs")
        self.memory, self.table, self.stacks = memory, Table(memory), stacks(memory)

    def chain(self, known):
        """The frames, innermost first, and why they end."""
        if known.get("cs", 0) & USER_RING:
            program = Frame(known["rip"], known["rsp"], known["rbp"], True)
            program.user = True
            return [program], "user mode"
        walk = Walk(self, known)
        frames = []
        try:
            while len(frames) < FRAMES_MAX:
                frames.append(walk.frame)
                walk.step()
        except End as end:
            return frames, str(end)
        except Unreadable as nothing:
            return frames, str(nothing)
        return frames, "there is no end of it"

    def stack_at(self, address):
        for stack in self.stacks:
            if stack.has(address):
                return stack
        return None


class Walk:
    """One chain in progress. `saved`: the general registers, if a trap saved all."""

    def __init__(self, unwinder, known):
        self.unwinder, self.table = unwinder, unwinder.table
        self.left, self.stack, self.low = [], None, 0
        self.saved = known.get("general")
        self.enter(Frame(known["rip"], known["rsp"], known["rbp"], True))

    def enter(self, frame):
        """Continues at an interrupted place; its stack pointer may be in a guard page."""
        stack = self.unwinder.stack_at(frame.sp)
        frame.stack, self.frame = stack, frame
        if stack is None:
            self.stack = None
            return
        if stack is not self.stack:
            if stack in self.left or len(self.left) == STACKS_LEFT:
                raise End("a trap frame leads back to a stack already left")
            if self.stack:
                self.left.append(self.stack)
            self.stack, self.low = stack, max(stack.low, frame.sp)
        elif stack.low <= frame.sp < self.low:
            raise End("the next frame would lie below this one")
        else:
            self.low = max(self.low, frame.sp)

    def word(self, address):
        if self.stack is None:
            raise End("the stack pointer is in no known stack")
        if address % 8:
            raise End("the stack or frame pointer is not a multiple of 8")
        if not self.stack.low <= address <= self.stack.high - 8:
            raise End("the next frame would lie outside the stack")
        if address < self.low:
            raise End("the next frame would lie below this one")
        return self.unwinder.memory.u64(address)

    def step(self):
        offset = self.frame.place() - self.table.text
        if not 0 <= offset < self.table.text_size:
            # A call or jump to no code: the return address is on top.
            self.go_back(self.frame.sp, self.frame.fp)
            return
        rule = self.table.rule(offset)
        if rule.kind == NONE:
            raise End("the unwind table says nothing of this address")
        if rule.kind == OUTERMOST:
            raise End("outermost frame")
        self.follow(rule)

    def follow(self, rule):
        cfa = self.base(rule.base) + rule.cfa_offset & MASK
        if rule.indirect:
            cfa = self.word(cfa)
        if rule.kind == TRAP_REGS:
            self.enter_trap(cfa)
            return
        fp = self.frame.fp
        if rule.saved != NOWHERE:
            place = fp if rule.saved == AT_FRAME else cfa
            fp = self.word(place + rule.saved_offset & MASK)
        if rule.kind == TRAP:
            ip, sp = self.word(cfa - 40), self.word(cfa - 16)
            user = self.word(cfa - 32) & USER_RING
            self.low, self.saved = cfa, None
            self.enter_interrupted(Frame(ip, sp, fp, True), user)
        elif rule.kind == CALL:
            self.go_back(cfa - 8, fp)

    def base(self, number):
        if number == STACK_POINTER:
            return self.frame.sp
        if number == FRAME_POINTER:
            return self.frame.fp
        if self.saved is None:
            raise End("the frame is counted from a register that is not known here")
        return self.saved[number]

    def enter_trap(self, cfa):
        """struct regs is below the CFA."""
        start = cfa - 8 * self.unwinder.words
        self.word(start)
        self.word(cfa - 8)
        fields, count = self.unwinder.fields, self.unwinder.words
        words = struct.unpack("<%dQ" % count, self.unwinder.memory.read(start, 8 * count))
        self.low, self.saved = cfa, [words[fields[name]] for name in general_registers()]
        self.enter_interrupted(Frame(words[fields["ip"]], self.saved[STACK_POINTER],
                                     self.saved[FRAME_POINTER], True),
                               words[fields["cs"]] & USER_RING)

    def enter_interrupted(self, frame, user):
        if user:
            self.frame = frame
            raise End("from user mode at %#x" % frame.ip)
        self.enter(frame)

    def go_back(self, slot, fp):
        """To the caller; `slot` has the return address."""
        address = self.word(slot)
        if not 0 <= address - 1 - self.table.text < self.table.text_size:
            raise End("the return address is not in the kernel's text")
        self.low, self.saved = slot + 8, None
        self.frame = Frame(address, slot + 8, fp, False)
        self.frame.stack = self.stack


def switched(memory, sp):
    """The registers of a thread that does not run, as by arch_switched_regs."""
    return {"rip": memory.u64(address_of("switch_resume")), "rsp": sp, "rbp": sp + 48}
